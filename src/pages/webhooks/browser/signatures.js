/** Signatures of requests, by a secret that is typed into the page. */
import { sign } from './request.js';

const most = 100;
/** By the secret and what it signs; null while it is computed, and for what is no secret. */
const made = new Map();

/** @returns {string | null} null as yet: `onMade` is called once it is there */
export function signatureOf(secret, parts, onMade) {
  if (secret === '' || parts.timestamp === null || parts.body === null) return null;
  const key = JSON.stringify([secret, parts]);
  if (!made.has(key)) {
    if (made.size >= most) made.clear();
    made.set(key, null);
    sign(secret, parts).then(
      (signature) => {
        made.set(key, signature);
        onMade();
      },
      () => {},
    );
  }
  return made.get(key) ?? null;
}

export const forgetSignatures = () => made.clear();
