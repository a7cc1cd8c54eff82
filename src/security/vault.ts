/** Keeps in the database what must not be read there: AES-256-GCM with a key derived from the deployment's secret. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RandomBytes } from '../ids.ts';

export interface Vault {
  /** @param place what the text belongs to: it can be opened in that place only */
  seal(place: string, text: string): string;
  /** @throws an Error where the text was changed, moved, or sealed with another secret */
  open(place: string, sealed: string): string;
}

/** What every sealed text starts with; another way to seal would have another number. */
const prefix = 'sealed1:';
const ivLength = 12;
const tagLength = 16;

/** @param key 32 bytes */
export function createVault(key: Uint8Array, randomBytes: RandomBytes): Vault {
  return {
    seal(place, text) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return prefix + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(place, sealed) {
      if (!sealed.startsWith(prefix)) throw new Error(`What is kept for ${place} is not sealed`);
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength), {
          authTagLength: tagLength,
        });
        decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
        return decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw new Error(`What is kept for ${place} cannot be opened: it was sealed with another SECRET, or changed`, {
          cause,
        });
      }
    },
  };
}
