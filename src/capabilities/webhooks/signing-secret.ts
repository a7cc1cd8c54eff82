/** Signing secrets of webhooks: creating, rotating, and which of them are valid. */
import type { RandomBytes } from '../../kernel/ids.ts';

/** A secret that payloads are signed with. */
export interface SigningSecret {
  /** base64 of the key. */
  readonly key: string;
  /** Epoch milliseconds from which the secret is no longer used; null for the current one. */
  readonly expiresAt: number | null;
}

const keyBytes = 32;

/** How long the previous secret signs as well, so that receivers have time to adopt the new one. */
const rotationMs = 24 * 60 * 60 * 1000;

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
