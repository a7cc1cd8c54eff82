/**
 * What many destinations that never answer cost those that do: one that has answered before, with events at a steady rate, and
 * some that are as new as those that hang. After a second all of the latter have ten deliveries at the same moment.
 *
 *   node test/bench/deliveries/many-hanging.ts                       on SQLite
 *   TEST_POSTGRES_URL=… node test/bench/deliveries/many-hanging.ts   on Postgres too
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { databases } from '../../support/databases.ts';
import { benchGateway, percentile } from '../gateway.ts';

const backlog = 10;
const newCount = 100;
const everyMs = 100;
const durationMs = 25_000;
/** So long the one that answers is alone. */
const calmMs = 1_000;

for (const dialect of databases)
  for (const count of process.argv.slice(2).length > 0 ? process.argv.slice(2).map(Number) : [150, 2_000])
    await measure(dialect, count);

async function measure(dialect: (typeof databases)[number], hangingCount: number): Promise<void> {
  const silent = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1', 4_096);
  const emittedAt = new Map<string, number>();
  const latencies: number[] = [];
  let floodedAt = 0;
  /** The paths of new destinations that have had no attempt. */
  const waiting = new Set<string>();
  /** Milliseconds that the others waited for theirs. */
  const firstAttempts: number[] = [];
  const answering = createHttpServer(async (request, response) => {
    const at = performance.now();
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url === '/') latencies.push(at - (emittedAt.get(/"n":"(\d+)"/.exec(body)?.[1] ?? '') ?? Number.NaN));
    response.end();
    const isFirst = request.url !== undefined && waiting.delete(request.url);
    if (isFirst) firstAttempts.push(at - floodedAt);
  }).listen(0, '127.0.0.1');
  await Promise.all([once(silent, 'listening'), once(answering, 'listening')]);
  const urlOf = (server: typeof silent) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const place = await dialect.location();
  const gateway = await benchGateway(place.url);
  await gateway.webhook(urlOf(answering), { event: 'mail_received' });
  for (let n = 0; n < hangingCount; n += 1) {
    await gateway.webhook(urlOf(silent), { event: 'mail_moved' });
    if (n % Math.ceil(hangingCount / newCount) > 0) continue;
    waiting.add(`/new/${n}`);
    await gateway.webhook(new URL(`/new/${n}`, urlOf(answering)).href, { event: 'mail_moved' });
  }
  const started = performance.now();
  const flood = (async () => {
    await new Promise((resolve) => setTimeout(resolve, calmMs));
    for (let n = 0; n < backlog; n += 1) {
      await gateway.emit(`flood ${n}`, 'mail_moved');
      if (n === 0) floodedAt = performance.now();
    }
  })();
  const emissions: Promise<unknown>[] = [];
  for (let n = 0; performance.now() - started < durationMs; n += 1) {
    emittedAt.set(String(n), performance.now());
    emissions.push(gateway.emit(n, 'mail_received'));
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await Promise.all([flood, ...emissions]);
  while (latencies.length < emissions.length + waiting.size && performance.now() - started < 4 * durationMs) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const told = (values: readonly number[]) =>
    [50, 90, 99, 100].map((p) => `p${p} ${Math.round(percentile(values, p))} ms`).join(', ');
  process.stdout.write(
    `${dialect.name}, ${hangingCount} that hang: ${told(latencies)}; ${latencies.length} of ${emissions.length} arrived\n` +
      `  first attempts of new ones: ${told(firstAttempts)}; ${waiting.size} had none\n`,
  );
  silent.close();
  answering.close();
  answering.closeAllConnections();
  await Promise.race([gateway.close(), new Promise((resolve) => setTimeout(resolve, 20_000))]);
  await place.drop();
}
process.exit(0);
