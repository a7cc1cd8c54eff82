/** Every place that secrets come from, by every place where text goes out. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { fileVariable, secretNames, secretsIn } from '../../src/app/config/secrets.ts';

import { logOptions } from '../../src/kernel/log.ts';
import { redactor } from '../../src/kernel/secrets/redact.ts';
import { findSecrets } from '../../src/kernel/secrets/secret.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { runProcess, startProcess, temporaryDirectory } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { envelope, json, proxyTo, startStub } from '../support/stub.ts';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

interface Source {
  readonly value: string;
  readonly hidden: readonly string[];
  readonly beside?: Readonly<Record<string, string>>;
}

const long = (what: string) => `${what}-0123456789-0123456789-012345`;
const inService = { UPSTREAM_URL: 'http://127.0.0.1:1' };

const databaseUrl = 'postgres://u:pass%2Fword-1@127.0.0.1:1/db?password=of-query-1';

const sources: Readonly<Record<string, Source>> = {
  SECRET: { value: long('secret'), hidden: [long('secret')] },
  SECRET_PREVIOUS: { value: long('previous'), hidden: [long('previous')], beside: { SECRET: long('secret') } },
  DATABASE_URL: {
    value: databaseUrl,
    hidden: ['pass/word-1', 'pass%2Fword-1', 'of-query-1'],
  },
  DATABASE_DIRECT_URL: {
    value: 'postgres://u:direct%2Fword-1@127.0.0.1:1/db',
    hidden: ['direct/word-1', 'direct%2Fword-1'],
    beside: { DATABASE_URL: databaseUrl },
  },
  REDIS_URL: { value: 'redis://:of-redis-1@127.0.0.1:1', hidden: ['of-redis-1'] },
  ...Object.fromEntries(
    ['HTTP', 'HTTPS'].map((scheme): [string, Source] => [
      `${scheme}_PROXY`,
      { value: 'http://u:of%2Fproxy-1@127.0.0.1:1', hidden: ['of/proxy-1', 'of%2Fproxy-1'] },
    ]),
  ),
  UPSTREAM_API_KEY: { value: 'of-service-1', hidden: ['of-service-1'], beside: inService },
  UPSTREAM_HEADERS: {
    value: JSON.stringify({
      'x-a': 'plain-"header"-1',
      authorization: basic('me:decoded-1'),
      'x-b': 'Bearer token-12',
    }),
    hidden: ['plain-"header"-1', basic('me:decoded-1').slice(6), 'me:decoded-1', 'decoded-1', 'token-12'],
    beside: inService,
  },
};

/** Variables of libraries, which have no file. */
const ofLibraries: Readonly<Record<string, Source>> = {
  http_proxy: { value: 'http://u:of-small-1@127.0.0.1:1', hidden: ['of-small-1'] },
  https_proxy: { value: 'http://u:of-small-2@127.0.0.1:1', hidden: ['of-small-2'] },
  PGPASSWORD: { value: 'of-postgres-1', hidden: ['of-postgres-1'] },
  ...Object.fromEntries(
    ['', '_TRACES', '_METRICS'].flatMap((signal): [string, Source][] => [
      [
        `OTEL_EXPORTER_OTLP${signal}_HEADERS`,
        { value: 'x-team=someteam,api-key=of%20collector-1', hidden: ['of collector-1', 'of%20collector-1'] },
      ],
      [
        `OTEL_EXPORTER_OTLP${signal}_ENDPOINT`,
        { value: 'http://u:of-endpoint-1@127.0.0.1:1', hidden: ['of-endpoint-1'] },
      ],
    ]),
  ),
};

test('every variable that has a secret is a source below', () => {
  expect(Object.keys(sources)).toEqual(expect.arrayContaining([...secretNames]));
});

interface Place {
  readonly name: string;
  readonly hidden: readonly string[];
  environment(directory: string): Readonly<Record<string, string>>;
}

const ofVariables = Object.entries({ ...sources, ...ofLibraries }).map(
  ([name, { value, hidden, beside = {} }]): Place => ({
    name,
    hidden,
    environment: () => ({ ...beside, [name]: value }),
  }),
);
const ofFiles = Object.entries(sources).map(
  ([name, { value, hidden, beside = {} }]): Place => ({
    name: fileVariable(name),
    hidden,
    environment(directory) {
      const file = join(directory, name);
      writeFileSync(file, `${value}\n`);
      return { ...beside, [fileVariable(name)]: file };
    },
  }),
);
/** The process alone reads it, and keeps a log by then. */
const inDataDirectory: Place = {
  name: 'the file of the data directory',
  hidden: [long('stored')],
  environment(directory) {
    writeFileSync(join(directory, 'secret'), long('stored'));
    return {};
  },
};

/** All at once, as a process takes its time to start. */
const together = (name: string, all: readonly Place[]): Place => ({
  name,
  hidden: all.flatMap((each) => each.hidden),
  environment: (directory) => Object.assign({}, ...all.map((each) => each.environment(directory))),
});
const ofProcesses = [
  together('every variable', ofVariables),
  together(
    'every file',
    ofFiles.map((place) => ({
      ...place,
      // `SECRET` beside `SECRET_FILE` is refused.
      environment: (directory) => ({ ...place.environment(directory), SECRET: '', DATABASE_URL: '' }),
    })),
  ),
];

const credentials = (secret: string): string[] => [
  `no: ${secret} was sent`,
  `postgres://u:${secret}@h/db`,
  `{"password":${JSON.stringify(secret)}}`,
  `?key=${encodeURIComponent(secret)}`,
];
const textOf = ({ hidden }: Place) => hidden.flatMap(credentials).join('\n');

const databaseIn = (directory: string) => ({ DATABASE_URL: `sqlite:${join(directory, 'postern.db')}` });
const withDatabase = (directory: string, environment: Readonly<Record<string, string>>) =>
  environment.DATABASE_URL === undefined && environment.DATABASE_URL_FILE === undefined
    ? { ...databaseIn(directory), ...environment }
    : environment;

/** Lets an error that nothing catches end a process. */
const throwing = (message: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`setTimeout(() => { throw new Error(${JSON.stringify(message)}) }, 50)`)}`;

type Output = (place: Place, environment: Readonly<Record<string, string>>) => Promise<string>;

const inLog: Output = async (place, environment) => {
  const config = readConfig(environment);
  const { current } = await findSecrets(config, randomBytes);
  const lines: string[] = [];
  const logger = pino(logOptions('trace', null, [...config.secrets, current]), {
    write: (line) => void lines.push(line),
  });
  for (const text of place.hidden.flatMap(credentials)) {
    logger.error({ err: new AggregateError([new Error(text)], text, { cause: new Error(text) }), text }, text);
  }
  for (const line of lines) expect(JSON.parse(line).msg).toContain('[redacted]');
  return lines.join('');
};

const inProcesses: Readonly<Record<string, Output>> = {
  async 'standard error of a command'(place, environment) {
    const args = ['connect', '--workspace', 'a', '--type', textOf(place)];
    const { stderr, stdout } = await runProcess('src/app/cli/accounts.ts', args, environment);
    expect(stderr).toContain('--type must be');
    return stderr + stdout;
  },
  async 'an error that nothing has caught'(place, environment) {
    const started = startProcess('src/app/cli/accounts.ts', ['list'], {
      ...environment,
      NODE_OPTIONS: throwing(textOf(place)),
    });
    const { code, stderr, stdout } = await started.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('[redacted]')]);
    return stderr + stdout;
  },
  async 'a value of the configuration that is wrong'(place, environment) {
    const PORT = textOf(place);
    const { code, stderr, stdout } = await runProcess('src/app/main.js', [], { ...environment, PORT });
    expect([code, stderr]).toEqual([1, expect.stringContaining('PORT must be')]);
    return stderr + stdout;
  },
};

async function expectHidden(place: Place, toldIn: Output): Promise<void> {
  await using directory = await temporaryDirectory();
  const told = await toldIn(place, withDatabase(directory.path, place.environment(directory.path)));
  const forms = place.hidden.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  expect(forms.filter((form) => told.includes(form))).toEqual([]);
}

test.each([...ofVariables, ...ofFiles, inDataDirectory].map((place) => [place.name, place] as const))(
  'a secret of %s in the log',
  (_name, place) => expectHidden(place, inLog),
);

describe.each(ofProcesses.map((place) => [place.name, place] as const))('a secret of %s', (_name, place) => {
  test.each(Object.entries(inProcesses))('in %s', (_output, toldIn) => expectHidden(place, toldIn));
});

describe('a password that is an ordinary word', () => {
  const words = secretsIn({
    DATABASE_URL: 'postgres://postgres:postgres@127.0.0.1/postgres',
    REDIS_URL: 'redis://:pw@h',
  });
  const redact = redactor(words, ['x-internal']);

  test.each([
    'the database "postgres" of postgres is away: postgres://127.0.0.1/postgres',
    'postgres://postgres@127.0.0.1:5432/postgres',
    '{"service":"postgres","pw":1,"name":"postgres"}',
    'a password of postgres',
  ])('stays in %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  test.each([
    ['postgres://postgres:postgres@db/postgres', 'postgres://postgres:[redacted]@db/postgres'],
    ['redis://:pw@h', 'redis://:[redacted]@h'],
    ['user=postgres password=postgres', 'user=postgres password=[redacted]'],
    ["PGPASSWORD='postgres'", "PGPASSWORD='[redacted]'"],
    ['{"user":"postgres","password":"postgres"}', '{"user":"postgres","password":"[redacted]"}'],
    ['"{\\"password\\": \\"postgres\\"}"', '"{\\"password\\": \\"[redacted]\\"}"'],
    ['Authorization: Bearer postgres', 'Authorization: Bearer [redacted]'],
    ['["x-internal","pw"]', '["x-internal","[redacted]"]'],
    ['?api_key=POSTGRES&b=postgres postgres', '?api_key=[redacted]&b=postgres postgres'],
  ])('goes from %s', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  test('is looked for in time that grows with the text', () => {
    const count = (text: string) => redact(text).length;
    for (const part of ['password', '://', '://a', 'password"', 'x-internal   ', ':pw', 'postgres']) {
      expect(count(part.repeat(100_000))).toBeGreaterThan(0);
    }
  });
});

const headers = {
  authorization: basic('someone:decoded-of-owner'),
  'x-plain': 'plain-of-owner',
  'x-token': 'Bearer bearer-of-owner',
  'x-word': 'production',
};
const hidden = ['someone:decoded-of-owner', 'decoded-of-owner', 'plain-of-owner', 'bearer-of-owner'];
const echo = (sent: Readonly<Record<string, unknown>>) =>
  `${JSON.stringify(sent)} ${Buffer.from(String(sent.authorization).slice(6), 'base64')} in production`;

test('a service that decodes what it was sent: errors to callers, log, traces', async () => {
  const collector = await startOtlpReceiver();
  const stub = await startStub(({ headers: sent }, response) =>
    json(response, 500, envelope('provider_error', 500, { detail: echo(sent), instance: echo(sent) })),
  );
  const gateway = await proxyTo(stub, {
    environment: {
      UPSTREAM_API_KEY: 'key-of-the-gateway',
      UPSTREAM_HEADERS: JSON.stringify(headers),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      LOG_LEVEL: 'trace',
    },
  });
  const { key } = await gateway.workspace();
  const response = await fetch(`${gateway.address}/v1/webhooks`, { headers: { 'x-api-key': key } });
  const query = '{ webhooks { nodes { name } } }';
  const shown = [await response.text(), JSON.stringify(await gateway.ask(query, {}, key))].join('\n');
  expect(shown).toContain('in production');
  await gateway.close();
  expect(collector.spans.length).toBeGreaterThan(0);
  const told = [shown, JSON.stringify(gateway.log), collector.text].join('\n');
  expect([...hidden, 'key-of-the-gateway'].filter((secret) => told.includes(secret))).toEqual([]);
  expect(told).not.toMatch(/x-word\W+production/);
});

test('a destination that decodes what it was sent: attempts, log', async () => {
  const [dialect] = databases;
  if (dialect === undefined) throw new Error('there is no database');
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = ({ headers: sent }, response) => {
    const names = ['x-word', 'authorization', 'x-token', 'webhook-signature'];
    const echoed = names.flatMap((name) => [name, String(sent[name])]);
    const signature = String(sent['webhook-signature']);
    signatures.push(signature.slice('v1,'.length));
    response.writeHead(500, [...echoed, 'x-encoded', encodeURIComponent(signature)]).end(echo(sent));
  };
  const signatures: string[] = [];
  const gateway = await startDelivering({ dialect });
  onTestFinished(() => gateway.close());
  const created = await fetch(`${gateway.address}/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.space.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      source: 'users',
      request_url: receiver.address,
      headers: Object.entries(headers).map(([name, value]) => ({ key: name, value })),
    }),
  });
  expect(created.status).toBe(201);
  await gateway.emit('one');
  await gateway.delivery.worker.idle();
  const attempts = await gateway.app.database.selectFrom('delivery_attempts').selectAll().execute();
  expect(attempts[0]?.response_body).toContain('in production');
  expect(attempts[0]?.response_headers).toContain('x-word: [redacted]\n');
  const told = JSON.stringify([attempts, gateway.log]);
  expect([...hidden, ...signatures].filter((secret) => told.includes(secret))).toEqual([]);
  expect(told).not.toMatch(/x-word\W+production/);
});
