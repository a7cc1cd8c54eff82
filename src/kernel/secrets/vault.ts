/** Encrypts secrets before they are stored in the database: AES-256-GCM with a key derived from the deployment's secret. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RandomBytes } from '../ids.ts';

export interface Vault {
  /**
   * Encrypts a text.
   * @param place the row that the text belongs to; it can be decrypted for that place only
   */
  seal(place: string, text: string): string;
  /**
   * Decrypts a sealed text.
   * @throws Error when the text was changed, moved to another place, or sealed with another secret
   */
  open(place: string, sealed: string): string;
  /**
   * Seals a text anew that was sealed with a previous secret; null if it was sealed with the current one.
   * @throws Error as `open` does
   */
  reseal(place: string, sealed: string): string | null;
}

/** The prefix of every sealed text. Another algorithm would get another number. */
const prefix = 'sealed1:';
const ivLength = 12;
const tagLength = 16;

/**
 * @param key 32 bytes, which seal
 * @param previous keys that open what they have sealed
 */
export function createVault(key: Uint8Array, randomBytes: RandomBytes, previous: readonly Uint8Array[] = []): Vault {
  const seal: Vault['seal'] = (place, text) => {
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return prefix + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
  };
  const open: Vault['open'] = (place, sealed) => {
    if (!sealed.startsWith(prefix)) throw new Error(`The value stored for ${place} is not sealed`);
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
    reseal(place, sealed) {
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
