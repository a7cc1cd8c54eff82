/**
 * `node test/bench/files.ts`: which of our files a request runs code of, by the calls that V8 counts. A document that was not
 * sent before, and the same again; then an event in embedded mode, up to the stored end of its delivery, without what runs
 * by the clock and in the threads of SQLite. NAMES=1 lists them. ROOT names another checkout to count in.
 */
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';

const root = resolve(process.env.ROOT ?? '.');
const source = `${pathToFileURL(root).href}/src/`;

const post = {
  object: 'Post',
  provider: 'PNET',
  id: 'p1',
  social_id: 's1',
  share_url: 'https://pnet.example/p',
  text: 'One',
  date: '1d',
  parsed_datetime: '2026-11-19T12:00:00.000Z',
  author: { public_identifier: 'ada', id: 'ACo1', name: 'Ada', is_company: false },
};
const page = JSON.stringify({ object: 'PostList', items: [post], cursor: null, paging: { page_count: 1 } });
const upstream = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(page);
}).listen(0, '127.0.0.1');
await new Promise((listening) => upstream.once('listening', listening));

// Of whichever checkout.
const { createApp } = await import(`${source}app/app.ts`);
const { readConfig } = await import(`${source}app/config/config.ts`);
const config = readConfig({
  PORT: '0',
  UPSTREAM_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
});
const log: { readonly compiled?: string }[] = [];
const app = await createApp(config, {
  logger: pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) }),
  secrets: { current: 'the secret of a measurement, of no use', previous: undefined, origin: 'SECRET' },
  now: () => new Date(),
  randomBytes: (size: number) => Buffer.alloc(size, 7),
  providers: {},
});
const proxy = { address: (await app.listen()) as string, key: 'a-key' };

const list = (name: string, field: string) =>
  `query ${name} { posts(accountId: "a", identifier: "i", first: 1) { nodes { ... on PnetPost { ${field} } } } }`;
const requests: Readonly<Record<string, (name: string) => string>> = {
  compiled: (name) => list(name, 'text'),
  refused: (name) => list(name, 'nothing'),
  mutation: (name) => `mutation ${name} { deleteWebhook(input: { webhookId: "w" }) { __typename } }`,
};

async function send(query: string, { address, key } = proxy): Promise<void> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query }),
  });
  await response.text();
  // The line of the log comes when the response has been sent.
  await new Promise((done) => setTimeout(done, 50));
}

/** An embedded gateway, and what emits an event there and waits for its delivery. */
async function openEmbedded() {
  const { startGateway } = await import(`${pathToFileURL(root).href}/test/support/gateway.ts`);
  let arrived = () => {};
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => {
      response.end();
      arrived();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => receiver.once('listening', listening));
  const { port } = receiver.address() as AddressInfo;
  const clock = {
    get now() {
      return new Date();
    },
  };
  const gateway = await startGateway({ environment: { OUTBOUND_ALLOW: '127.0.0.1' }, clock });
  const workspace = await gateway.workspace();
  const accountId: string = await workspace.account();
  const place = { address: gateway.address, key: workspace.key };
  await send(
    `mutation { createWebhook(input: { requestUrl: "http://127.0.0.1:${port}", source: EMAIL }) { __typename } }`,
    place,
  );
  const emission = `mutation { emitEvent(input: { accountId: "${accountId}", event: MAIL_SENT }) { __typename } }`;
  return {
    async emit() {
      const { promise, resolve } = Promise.withResolvers<void>();
      arrived = resolve;
      await send(emission, place);
      await promise;
      // Its outcome is stored with the next transaction.
      await new Promise((done) => setTimeout(done, 50));
    },
    async close() {
      await gateway.close();
      receiver.close();
    },
  };
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');

/** The files below src/ of which functions were called, with how many. */
async function touchedBy(work: () => Promise<void>): Promise<Map<string, number>> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return new Map(
    result.flatMap(({ url, functions }) => {
      const called = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0).length;
      return url.startsWith(source) && called > 0 ? [[url.slice(source.length), called] as const] : [];
    }),
  );
}

function report(what: string, touched: ReadonlyMap<string, number>): void {
  const functions = [...touched.values()].reduce((sum, each) => sum + each, 0);
  process.stdout.write(`${what}: ${touched.size} files, ${functions} functions\n`);
  if (process.env.NAMES) process.stdout.write(`  ${[...touched.keys()].sort().join('\n  ')}\n`);
}

for (const [kind, make] of Object.entries(requests)) {
  await send(make('Warm'));
  for (const time of ['first', 'again']) {
    const touched = await touchedBy(() => send(make('Counted')));
    const { compiled = 'refused, or not compiled' } = log.at(-1) ?? {};
    report(`${kind}, ${time} (${compiled})`, touched);
  }
}
await app.close();
upstream.close();

const embedded = await openEmbedded();
await embedded.emit();
let event = await touchedBy(embedded.emit);
for (let rounds = 1; rounds < 7; rounds += 1) {
  const again = await touchedBy(embedded.emit);
  event = new Map([...event].filter(([file]) => again.has(file)));
}
report('event, again', event);
await embedded.close();
