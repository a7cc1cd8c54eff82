/** Signatures, against the published library of Standard Webhooks. */
import { randomBytes } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  newSecret,
  rotated,
  secretIn,
  secretText,
  validSecrets,
} from '../../src/capabilities/webhooks/signing-secret.ts';
import { isSigned, signatureHeaders } from '../../src/delivery/signature.ts';

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

describe('a request', () => {
  const secret = newSecret(randomBytes);
  const library = new Verifier(secretText(secret));
  const at = (seconds: number) => new Date(Math.floor(now / 1000 + seconds) * 1000);
  const signedAt = (date: Date, by = library) => ({
    'webhook-id': 'msg',
    'webhook-timestamp': String(date.getTime() / 1000),
    'webhook-signature': by.sign('msg', date, body.toString()),
  });
  const other = new Verifier(secretText(newSecret(randomBytes)));
  const good = signedAt(at(0));
  const both = `${signedAt(at(0), other)['webhook-signature']} ${good['webhook-signature']}`;

  it.each<[string, Record<string, string | string[] | undefined>, boolean, Buffer?]>([
    ['that the published library signed', good, true],
    ['with an older signature before it', { ...good, 'webhook-signature': both }, true],
    ['of five minutes ago', signedAt(at(-299)), true],
    ['of more than five minutes ago', signedAt(at(-302)), false],
    ['of a time to come', signedAt(at(302)), false],
    ['with another body', good, false, Buffer.from('{}')],
    ['with another id', { ...good, 'webhook-id': 'other' }, false],
    ['with another time', { ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }, false],
    ['with a time that is none', { ...good, 'webhook-timestamp': 'now' }, false],
    ['that another secret signed', signedAt(at(0), other), false],
    ['of another version', { ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v2,') }, false],
    ['without a signature', { ...good, 'webhook-signature': undefined }, false],
    ['without headers', {}, false],
  ])('%s', (_what, headers, signed, sent = body) => {
    expect(isSigned(headers, { body: sent, now }, secretIn(secretText(secret)))).toBe(signed);
  });
});
