/** Secrets at rest: AES-256-GCM with a key derived from the deployment's secret. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RandomBytes } from '../ids.ts';
import type { Keyring } from './secret.ts';

export type Vault = ReturnType<typeof createVault>;

/** Names the algorithm. */
const prefix = 'sealed1:';
const ivLength = 12;
const tagLength = 16;

export const isSealed = (text: string): boolean => text.startsWith(prefix);

/** The vault of a database. */
export function vaultOf(keyring: Keyring, randomBytes: RandomBytes): Vault {
  const { current, previous } = keyring('webhook-secrets');
  return createVault(current, randomBytes, previous);
}

/** The place of a text is its row, the only one that can open it. @param key 32 bytes, which seal. @param previous keys that only open */
export function createVault(key: Uint8Array, randomBytes: RandomBytes, previous: readonly Uint8Array[] = []) {
  const seal = (place: string, text: string): string => {
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return prefix + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
  };
  /** @throws Error for a text changed, moved to another place, or sealed with another secret */
  const open = (place: string, sealed: string): string => {
    if (!isSealed(sealed)) throw new Error(`The value stored for ${place} is not sealed`);
    const causes: unknown[] = [];
    for (const each of [key, ...previous]) {
      try {
        return openWith(each, place, sealed);
      } catch (cause) {
        causes.push(cause);
      }
    }
    throw new Error(`The value stored for ${place} cannot be opened: it was sealed with another SECRET, or changed`, {
      cause: causes[0],
    });
  };
  return {
    seal,
    open,
    /** Null for a text sealed with the current secret. @throws Error as `open` */
    reseal(place: string, sealed: string): string | null {
      try {
        openWith(key, place, sealed);
        return null;
      } catch {
        return seal(place, open(place, sealed));
      }
    },
  };
}

function openWith(key: Uint8Array, place: string, sealed: string): string {
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength), { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
  return decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8');
}

/** Null for a text that cannot be opened, too: it stays, for its users to report. */
export function ifOpened(reseal: () => string | null): string | null {
  try {
    return reseal();
  } catch {
    return null;
  }
}
