/**
 * Signatures of the Standard Webhooks specification (https://www.standardwebhooks.com): HMAC-SHA256 over the id, the time
 * and the exact bytes of the body. While a secret is being rotated there is a signature for each valid secret.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { RandomBytes } from '../ids.ts';

/** A secret that payloads are signed with. */
export interface SigningSecret {
  /** base64 of the key. */
  readonly key: string;
  /** Epoch milliseconds from which the secret is no longer used; null for the current one. */
  readonly expiresAt: number | null;
}

const keyBytes = 32;

/** How long the previous secret signs as well, so that receivers have time to adopt the new one. */
export const rotationMs = 24 * 60 * 60 * 1000;

/** Secrets that may be valid at once. A further rotation has to wait. */
export const maxSecrets = 5;

export const newSecret = (randomBytes: RandomBytes): SigningSecret => ({
  key: randomBytes(keyBytes).toString('base64'),
  expiresAt: null,
});

/** The secret as it is given to receivers: `whsec_` and base64. */
export const secretText = ({ key }: SigningSecret): string => `whsec_${key}`;

/** @param now epoch milliseconds */
export const validSecrets = (secrets: readonly SigningSecret[], now: number): SigningSecret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);

/**
 * The secrets after a rotation: the new one first, then those that are still valid.
 * @param now epoch milliseconds
 */
export function rotated(
  secrets: readonly SigningSecret[],
  now: number,
  randomBytes: RandomBytes,
): [SigningSecret, ...SigningSecret[]] {
  const former = validSecrets(secrets, now).map(({ key, expiresAt }) => ({
    key,
    expiresAt: expiresAt ?? now + rotationMs,
  }));
  return [newSecret(randomBytes), ...former];
}

/**
 * The three headers of a message, names and values alternating.
 * `now` is in epoch milliseconds.
 */
export function signatureHeaders(
  { id, now, body }: { readonly id: string; readonly now: number; readonly body: Buffer },
  secrets: readonly SigningSecret[],
): string[] {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = validSecrets(secrets, now).map((secret) => {
    const mac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body);
    return `v1,${mac.digest('base64')}`;
  });
  return ['webhook-id', id, 'webhook-timestamp', timestamp, 'webhook-signature', signatures.join(' ')];
}

/** Creating a key costs more than signing a short body with it. */
const keys = new WeakMap<SigningSecret, KeyObject>();

function keyOf(secret: SigningSecret): KeyObject {
  let key = keys.get(secret);
  if (key === undefined) {
    key = createSecretKey(secret.key, 'base64');
    keys.set(secret, key);
  }
  return key;
}
