import type { RandomBytes } from '../../kernel/ids.ts';

export interface SigningSecret {
  /** base64. */
  readonly key: string;
  /** Epoch milliseconds; null for the current one. */
  readonly expiresAt: number | null;
}

const keyBytes = 32;

/** Both secrets sign meanwhile, so that receivers have time to adopt the new one. */
const rotationMs = 24 * 60 * 60 * 1000;

/** Valid at once; a further rotation has to wait. */
export const maxSecrets = 5;

export const newSecret = (randomBytes: RandomBytes): SigningSecret => ({
  key: randomBytes(keyBytes).toString('base64'),
  expiresAt: null,
});

/** For receivers: `whsec_` and base64. */
export const secretText = ({ key }: SigningSecret): string => `whsec_${key}`;

/** @param text of {@link secretText} */
export const secretIn = (text: string): SigningSecret => ({ key: text.replace(/^whsec_/, ''), expiresAt: null });

/** @param now epoch milliseconds */
export const validSecrets = (secrets: readonly SigningSecret[], now: number): SigningSecret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);

/** The new one first, then those still valid. @param now epoch milliseconds */
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
