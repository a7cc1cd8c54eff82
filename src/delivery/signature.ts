/** Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 of id, time and body, once per valid secret. */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type SigningSecret, validSecrets } from '../capabilities/webhooks/signing-secret.ts';

/** The three headers, names and values alternating. @param now epoch milliseconds */
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

/** @param headers of {@link signatureHeaders} */
export const signaturesIn = (headers: readonly string[]): string[] =>
  (headers.at(-1) ?? '').split(' ').map((signature) => signature.slice('v1,'.length));

const maxAgeSeconds = 300;

/** Whether a request was signed with the secret, within five minutes of NOW. @param headers with names in lower case */
export function isSigned(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  { body, now }: { readonly body: Buffer; readonly now: number },
  secret: SigningSecret,
): boolean {
  const [id = '', time = '', given = ''] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const seconds = Number(time);
  if (!(Math.abs(now / 1000 - seconds) <= maxAgeSeconds)) return false;
  const ours = Buffer.from(signatureHeaders({ id, now: seconds * 1000, body }, [secret]).at(-1) ?? '');
  return given.split(' ').some((each) => {
    const theirs = Buffer.from(each);
    return theirs.length === ours.length && timingSafeEqual(theirs, ours);
  });
}

/** Creating a key costs more than signing a short body. */
const keys = new WeakMap<SigningSecret, KeyObject>();

function keyOf(secret: SigningSecret): KeyObject {
  let key = keys.get(secret);
  if (key === undefined) {
    key = createSecretKey(secret.key, 'base64');
    keys.set(secret, key);
  }
  return key;
}
