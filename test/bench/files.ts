/**
 * `node test/bench/files.ts`: which of our files a request runs code of, by the calls that V8 counts. A document that was not
 * sent before, and the same again. ROOT names another checkout to count in.
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
const address: string = await app.listen();

const list = (name: string, field: string) =>
  `query ${name} { posts(accountId: "a", identifier: "i", first: 1) { nodes { ... on PnetPost { ${field} } } } }`;
const requests: Readonly<Record<string, (name: string) => string>> = {
  compiled: (name) => list(name, 'text'),
  refused: (name) => list(name, 'nothing'),
  mutation: (name) => `mutation ${name} { deleteWebhook(input: { webhookId: "w" }) { __typename } }`,
};

async function send(query: string): Promise<void> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'a-key' },
    body: JSON.stringify({ query }),
  });
  await response.text();
  // The line of the log comes when the response has been sent.
  await new Promise((done) => setTimeout(done, 50));
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');

/** The files below src/ of which functions were called, with how many. */
async function touchedBy(query: string): Promise<Map<string, number>> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await send(query);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return new Map(
    result.flatMap(({ url, functions }) => {
      const called = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0).length;
      return url.startsWith(source) && called > 0 ? [[url.slice(source.length), called] as const] : [];
    }),
  );
}

for (const [kind, make] of Object.entries(requests)) {
  await send(make('Warm'));
  for (const time of ['first', 'again']) {
    const touched = await touchedBy(make('Counted'));
    const functions = [...touched.values()].reduce((sum, each) => sum + each, 0);
    const { compiled = 'refused, or not compiled' } = log.at(-1) ?? {};
    process.stdout.write(`${kind}, ${time}: ${touched.size} files, ${functions} functions (${compiled})\n`);
    if (process.env.NAMES) process.stdout.write(`  ${[...touched.keys()].sort().join('\n  ')}\n`);
  }
}
await app.close();
upstream.close();
