import { hash } from 'node:crypto';

/** Block of SHA-256. */
const blockBytes = 64;
const digestBytes = 32;

/**
 * HMAC-SHA256 (RFC 2104) of the parts together, 32 bytes. `createHmac` takes twice as long for a short text, and leaves an
 * object outside of the heap to collect. @param key of at most 64 bytes. @throws RangeError for a longer one
 */
export function hmacSha256(key: Uint8Array): (...parts: readonly Uint8Array[]) => Buffer {
  if (key.length > blockBytes) throw new RangeError(`A key has at most ${blockBytes} bytes`);
  const inner = Buffer.alloc(blockBytes, 0x36);
  const outer = Buffer.alloc(blockBytes + digestBytes, 0x5c);
  for (const [at, byte] of key.entries()) {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  return (...parts) => {
    outer.write(hash('sha256', Buffer.concat([inner, ...parts]), 'hex'), blockBytes, 'hex');
    return Buffer.from(hash('sha256', outer, 'hex'), 'hex');
  };
}
