/** Signatures, against the published library of Standard Webhooks. */
import { randomBytes } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { newSecret, rotated, secretText, validSecrets } from '../../src/capabilities/webhooks/signing-secret.ts';
import { signatureHeaders } from '../../src/delivery/signature.ts';

const now = Date.now();
const body = Buffer.from('{"any":"bytes — ümlaut"}');
const headersOf = (list: string[]) =>
  Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? '']] : [])));

it('signatures are accepted by the published library, whatever the format of the body', () => {
  const secret = newSecret(randomBytes);
  for (const bytes of [body, Buffer.from('event=a&b=%C3%A4')]) {
    const headers = headersOf(signatureHeaders({ id: 'msg', now, body: bytes }, [secret]));
    expect(() => new Verifier(secretText(secret)).verify(bytes, headers, { jsonParse: false })).not.toThrow();
    expect(() => new Verifier(secretText(secret)).verify(`${bytes} `, headers, { jsonParse: false })).toThrow();
    expect(() =>
      new Verifier(secretText(newSecret(randomBytes))).verify(bytes, headers, { jsonParse: false }),
    ).toThrow();
  }
});

it('signatures are made with the old and the new secret for a day after a rotation', () => {
  const old = newSecret(randomBytes);
  const secrets = rotated([old], now, randomBytes);
  const headers = headersOf(signatureHeaders({ id: 'msg', now, body }, secrets));
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const secret of secrets) new Verifier(secretText(secret)).verify(body, headers);
  expect(validSecrets(secrets, now + 24 * 3_600_000 - 1)).toHaveLength(2);
  expect(validSecrets(secrets, now + 24 * 3_600_000)).toEqual([secrets[0]]);
});
