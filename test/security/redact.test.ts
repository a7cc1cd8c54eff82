/** What the gateway has sent as a secret is shown and stored nowhere when it comes back. */

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { logOptions } from '../../src/kernel/log.ts';
import { redactor } from '../../src/kernel/secrets/redact.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { envelope, json, proxyTo, type Respond, startStub } from '../support/stub.ts';

describe('a redactor', () => {
  const redact = redactor(['a "secret" key', 'short']);

  test.each([
    ['x a "secret" key y', 'x [redacted] y'],
    [JSON.stringify({ echo: 'a "secret" key' }), '{"echo":"[redacted]"}'],
    [`?key=${encodeURIComponent('a "secret" key')}`, '?key=[redacted]'],
    ['<p>a &quot;secret&quot; key</p>', '<p>[redacted]</p>'],
    ['A "SECRET" KEY', '[redacted]'],
    [Buffer.from('a "secret" key').toString('base64'), '[redacted]'],
    ['cut off in a "secret"', 'cut off in [redacted]'],
    ['short a "sec', 'short a "sec'],
    [String.raw`{"echo":"a\u0020\u0022secret\u0022 key"}`, '{"echo":"[redacted]"}'],
    [
      String.raw`{"echo":"{\"a\":\"a\\u0020\\u0022secret\\u0022 key\"}"}`,
      String.raw`{"echo":"{\"a\":\"[redacted]\"}"}`,
    ],
    ['<p>a &#34;secret&#x22;&#032;key</p> &lt;', '<p>[redacted]</p> &lt;'],
    ['<p>a &#34;s</p> &lt;', '<p>a &#34;s</p> &lt;'],
    [String.raw`&amp; a &quot;secret&#34; key %41 \u0041 A`, String.raw`&amp; [redacted] %41 \u0041 A`],
    ['?key=a%20"secret"%20key', '?key=[redacted]'],
    [String.raw`cut off in a \u0022secret\u00`, 'cut off in [redacted]'],
    ['cut off in a &quot;secret&#3', 'cut off in [redacted]'],
    [String.raw`{"password":"\u0073hort"}`, '{"password":"[redacted]"}'],
    ['?key=a+%22secret%22+key', '?key=[redacted]'],
  ])('makes %s %s', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });
});

test.each([
  ['as its bytes were received', (secret: string) => Buffer.from(secret, 'latin1').toString('utf8')],
  ['percent-encoded in lower case', (secret: string) => encodeURIComponent(secret).toLowerCase()],
  ['as a form has it', (secret: string) => new URLSearchParams([['', secret]]).toString().slice(1)],
])('a secret beyond ASCII is found %s', (_how, written) => {
  const secret = 'ein pässwört für jeden';
  expect(redactor([secret])(`x=${written(secret)}&y`)).toBe('x=[redacted]&y');
});

const inLatin1 = Buffer.from('svc:Grün-Sommer-2024', 'latin1').toString('base64');
test.each([
  [`Basic ${inLatin1}`, 'bad login: svc:Grün-Sommer-2024', 'bad login: [redacted]'],
  [`Basic ${inLatin1}`, 'bad password: Grün-Sommer-2024', 'bad password: [redacted]'],
  ["it's-a-long-passphrase", String.raw`{'x-pass': 'it\'s-a-long-passphrase'}`, `{'x-pass': '[redacted]'}`],
  ['say "hi" to battery!', new URLSearchParams({ p: 'say "hi" to battery!' }).toString(), 'p=[redacted]'],
  ['k3y!(Prod)~2024*long', 'p=k3y%21%28Prod%29~2024%2Along', 'p=[redacted]'],
  ['k3y!(Prod)~2024*long', 'p=k3y%21%28Prod%29%7e2024%2along', 'p=[redacted]'],
  [
    'a pass-word of 25 letters',
    Buffer.from('a pass-word of 25 letters').toString('base64').replace(/=+$/, ''),
    '[redacted]',
  ],
  ['Grün-Sommer-2024!', Buffer.from('Grün-Sommer-2024!', 'latin1').toString('base64'), '[redacted]'],
])('%s is shown in no text in which other writers have it', (secret, text, shown) => {
  expect(redactor([secret])(text)).toBe(shown);
});

test.each(['HTTP_X_KEY=abc1', '[x-key] => abc1', "'x-key': 'abc1'"])('a short secret is found in %s', (text) => {
  expect(redactor(['abc1'], ['x-key'])(text)).toBe(text.replace('abc1', '[redacted]'));
});

describe('a secret of which any characters are escaped', () => {
  const character = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  const secret = fc.string({ unit: character, minLength: 16, maxLength: 60 });
  const escapeOf = (each: string, isUpper: boolean) => {
    const hex = each.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${isUpper ? hex.toUpperCase() : hex}`;
  };
  /** What a writer of JSON may make of a text, by a number for each character: it escapes all other slashes or none. */
  const writtenAs = (text: string, choices: readonly number[]) =>
    Array.from(text, (each, place) => {
      const choice = choices[place % choices.length] ?? 0;
      if (choice > 1) return escapeOf(each, choice > 2);
      return each === '/' && choices[0] === 1 ? '\\/' : JSON.stringify(each).slice(1, -1);
    }).join('');
  const choices = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 60 });
  const around = fc.string({ unit: 'grapheme', maxLength: 10 });

  test('is shown in no text, of which all else stays as it is', () => {
    fc.assert(
      fc.property(secret, choices, around, around, (secret, choices, before, after) => {
        const [start, end] = [JSON.stringify(before).slice(0, -1), JSON.stringify(after).slice(1)];
        const rest = String.raw`,"b":"it\u0027s \\u0041 &amp; %41"}`;
        const shown = redactor([secret])(`{"a":${start}${writtenAs(secret, choices)}${end}${rest}`);
        expect(shown).toBe(`{"a":${start}[redacted]${end}${rest}`);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is shown in no JSON that is a text in JSON', () => {
    fc.assert(
      fc.property(secret, choices, choices, (secret, inner, outer) => {
        const json = JSON.stringify({ a: `{"b":"${writtenAs(secret, inner)}"}`, c: writtenAs("'", outer) });
        expect(JSON.parse(redactor([secret])(json))).toEqual({ a: '{"b":"[redacted]"}', c: writtenAs("'", outer) });
      }),
      { numRuns: 2_000 },
    );
  });

  test('is not seen in another text, which stays as it is', () => {
    fc.assert(
      fc.property(secret, choices, (secret, choices) => {
        const text = `{"a":"${writtenAs(secret.slice(1), choices)}","b":"\\u0027\\n\\\\u0026"}`;
        expect(redactor([`\u00a7${secret}`])(text)).toBe(text);
      }),
    );
  });

  test('is looked for in time that grows with the text, however long it is', () => {
    const long = `${'\\'.repeat(2_000)}"${'+/'.repeat(2_000)}`;
    const redact = redactor([long, long.slice(1, 500)]);
    for (const part of ['\\', '\\u00', '\\u005c', '\\u002b', '+', '/', '&#', '&#0', '%', '%2']) {
      const text = `${part.repeat(50_000)}\\u00`;
      expect(redact(text)).not.toBe('');
    }
  });
});

test('no line of the log has a secret of the configuration or a value of a statement, in whichever error or cause', () => {
  const hidden = [
    'secret-pass/word',
    'of-redis-the-password',
    'secret-key-of-the-service',
    'secret-header-value',
    'row-value',
  ];
  const [database = '', redis, key = '', header] = hidden;
  const config = readConfig({
    DATABASE_URL: `postgres://postern:${encodeURIComponent(database)}@127.0.0.1/postern`,
    REDIS_URL: `redis://:${redis}@127.0.0.1`,
    UPSTREAM_URL: 'http://127.0.0.1:1',
    UPSTREAM_API_KEY: key,
    UPSTREAM_HEADERS: JSON.stringify({ 'x-internal': header }),
  });
  const lines: string[] = [];
  const logger = pino(logOptions('trace', null, config.secrets), { write: (line) => void lines.push(line) });
  const ofDriver = (fields: object) => Object.assign(new Error('failed'), fields);
  const errors = [
    ...hidden.slice(0, -1).map((secret) => new Error('outer', { cause: new Error(`inner ${secret}`) })),
    new AggregateError([new Error(`postgres://postern:${encodeURIComponent(database)}@127.0.0.1/postern`)]),
    ofDriver({ input: 'row-value', command: { name: 'set', args: ['row-value'] } }),
    ofDriver({
      severity: 'ERROR',
      code: '23505',
      detail: 'Key (name)=(row-value) already exists.',
      where: 'row-value',
    }),
    new AggregateError([ofDriver({ severity: 'ERROR', detail: 'row-value', parameters: ['row-value'] })]),
  ];
  for (const err of errors) logger.error({ err }, 'failed');
  logger.child({ reqId: 'a' }).info({ detail: `sent ${key}` }, header);
  expect(lines).toHaveLength(errors.length + 1);
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
    for (const secret of hidden) expect(line).not.toContain(secret);
  }
  expect(lines.join('')).toContain('"code":"23505"');
});

const secrets = { key: 'secret-key-of-the-gateway', header: 'secret-"header"-of-the-operator' };

const echoes: readonly (readonly [string, Respond])[] = [
  ...[400, 401, 500, 503].map((status): readonly [string, Respond] => [
    `an error with ${status}`,
    ({ headers }, response) => {
      const type = { 400: 'malformed_request', 401: 'invalid_credentials', 500: 'provider_error' }[status];
      const text = JSON.stringify(headers);
      const told = { title: text, detail: `${headers['x-api-key']} ${headers['x-internal']}`, instance: text };
      json(response, status, envelope(type ?? 'service_unavailable', status, told));
    },
  ]),
  ['a status text', ({ headers }, response) => void response.writeHead(500, `${headers['x-api-key']}`).end('{}')],
  ['JSON that is broken', ({ headers }, response) => json(response, 500, JSON.stringify(headers).slice(0, -1))],
  [
    'bytes that are no HTTP',
    ({ headers }, response) => void response.socket?.end(`${headers['x-api-key']} ${headers['x-internal']}\r\n\r\n`),
  ],
  ['a reset', (_request, response) => void response.socket?.resetAndDestroy()],
];

/** Sent by a caller whose trace is recorded. */
const ofCaller = {
  baggage: 'of-a=caller-42',
  'x-of-a': 'caller-42',
  cookie: 'of-a=caller-42',
  'user-agent': 'caller-42',
  referer: 'http://caller-42/',
  traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
};

test.each(echoes)('a service that echoes what it was sent in %s', async (_what, respond) => {
  const collector = await startOtlpReceiver();
  const stub = await startStub(respond);
  const gateway = await proxyTo(stub, {
    environment: {
      UPSTREAM_API_KEY: secrets.key,
      UPSTREAM_HEADERS: JSON.stringify({ 'x-internal': secrets.header }),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      METRICS_PORT: '0',
      LOG_LEVEL: 'trace',
    },
  });
  const key = (await gateway.workspace()).key;
  const shown: string[] = [];
  for (const path of ['/v1/users/ACo1/posts?account_id=a', '/v1/webhooks']) {
    const response = await fetch(gateway.address + path, { headers: { ...ofCaller, 'x-api-key': key } });
    shown.push(JSON.stringify([...response.headers]), await response.text());
  }
  const query = '{ posts(accountId: "a", identifier: "ACo1", first: 1) { nodes { __typename } } }';
  shown.push(JSON.stringify(await gateway.ask(query, {}, key)));
  await fetch(`${gateway.address}/readyz`);
  shown.push(await (await fetch(gateway.app.metricsAddress ?? '')).text());
  expect(stub.received[0]?.headers).toMatchObject({ 'x-api-key': secrets.key, 'x-internal': secrets.header });
  for (const { headers } of stub.received) expect(JSON.stringify(headers)).not.toContain('caller-42');
  await gateway.close();
  expect(collector.spans.map(({ traceId }) => traceId)).toContain('ab'.repeat(16));
  const told = [...shown, JSON.stringify(gateway.log), collector.text].join('\n');
  expect(told).not.toMatch(/secret-key-of|of-the-operator|caller-42/);
});

test('a destination that echoes the headers of its owner, and the signature', async () => {
  const [dialect] = databases;
  if (dialect === undefined) throw new Error('there is no database');
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = ({ headers }, response) => void response.writeHead(500).end(JSON.stringify(headers));
  const gateway = await startDelivering({ dialect });
  onTestFinished(() => gateway.close());
  const created = await fetch(`${gateway.address}/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.space.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      source: 'users',
      request_url: receiver.address,
      headers: [{ key: 'authorization', value: 'Bearer secret-of-the-owner' }],
    }),
  });
  expect(created.status).toBe(201);
  await gateway.emit('one');
  await gateway.delivery.worker.idle();
  expect(receiver.received[0]?.headers.authorization).toBe('Bearer secret-of-the-owner');
  const signature = String(receiver.received[0]?.headers['webhook-signature']).slice('v1,'.length);
  const attempts = await gateway.app.database.selectFrom('delivery_attempts').selectAll().execute();
  expect(attempts).toMatchObject([
    { status: 500, response_body: expect.stringContaining('"authorization":"[redacted]"') },
  ]);
  const files = readdirSync(dirname(gateway.databaseUrl.slice('sqlite:'.length)), {
    recursive: true,
    withFileTypes: true,
  }).filter((each) => each.isFile());
  const stored = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  expect(stored.join('')).toContain('"authorization":"[redacted]"');
  for (const told of [JSON.stringify([attempts, gateway.log]), ...stored]) {
    expect(told).not.toContain('secret-of-the-owner');
    expect(told).not.toContain(signature);
  }
});

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

test.each([
  [
    'a word beyond ASCII, cut off',
    'pässwörtérSecret',
    1,
    (sent: string) => `xxxxxx${sent.repeat(60)}`,
    /^x{6}(\[redacted\])+$/,
  ],
  [
    'more headers than are searched for',
    'Bearer 0123456789abcdef',
    250,
    (sent: string) => `${sent}. `.repeat(60),
    /^\[redacted\]$/,
  ],
  [
    'the password of a long user name',
    basic('webhooks-ingest@integrations-prod-eu1.iam.example-tenant.com:S3cr3t-Pa55w0rd'),
    1,
    () => 'Wrong password: S3cr3t-Pa55w0rd',
    /^Wrong password: \[redacted\]$/,
  ],
  ['a password beyond ASCII', basic('u:Пароль-очень-длинный'), 1, () => 'Пароль-очень-длинный', /^\[redacted\]$/],
  [
    'its bytes, which are UTF-8',
    Buffer.from('漢'.repeat(60)).toString('latin1'),
    1,
    () => '漢'.repeat(60),
    /^\[redacted\]$/,
  ],
])('a destination that echoes %s', async (_what, value, count, echo, stored) => {
  const [dialect] = databases;
  if (dialect === undefined) throw new Error('there is no database');
  // Most servers refuse so many headers.
  const receiver = createServer({ maxHeaderSize: 1_000_000 }, (_request, response) => response.end(echo(value)));
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void receiver.close());
  const request_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const gateway = await startDelivering({ dialect });
  onTestFinished(() => gateway.close());
  const headers = Array.from({ length: count }, (_, n) => ({ key: `x-${n}`, value: value.repeat(count > 1 ? 20 : 1) }));
  const created = await fetch(`${gateway.address}/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.space.key, 'content-type': 'application/json' },
    body: JSON.stringify({ source: 'users', request_url, headers }),
  });
  expect(created.status).toBe(201);
  await gateway.emit('one');
  await gateway.delivery.worker.idle();
  const attempts = await gateway.app.database.selectFrom('delivery_attempts').select('response_body').execute();
  expect(attempts).toEqual([{ response_body: expect.stringMatching(stored) }]);
});
