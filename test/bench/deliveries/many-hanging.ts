/**
 * What many destinations that never answer cost one that does: events for it at a steady rate, and after a second ten
 * deliveries for each of the others.
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
const everyMs = 100;
const durationMs = 25_000;
/** So long the one that answers is alone. */
const calmMs = 1_000;

for (const dialect of databases) for (const count of [150, 2_000]) await measure(dialect, count);

async function measure(dialect: (typeof databases)[number], hangingCount: number): Promise<void> {
  const silent = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1', 4_096);
  const emittedAt = new Map<string, number>();
  const latencies: number[] = [];
  const answering = createHttpServer(async (request, response) => {
    const at = performance.now();
    let body = '';
    for await (const chunk of request) body += chunk;
    latencies.push(at - (emittedAt.get(/"n":"(\d+)"/.exec(body)?.[1] ?? '') ?? Number.NaN));
    response.end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(silent, 'listening'), once(answering, 'listening')]);
  const urlOf = (server: typeof silent) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const place = await dialect.location();
  const gateway = await benchGateway(place.url);
  await gateway.webhook(urlOf(answering), { event: 'mail_received' });
  for (let n = 0; n < hangingCount; n += 1) {
    await gateway.webhook(urlOf(silent), { event: 'mail_moved' });
  }
  const started = performance.now();
  const flood = (async () => {
    await new Promise((resolve) => setTimeout(resolve, calmMs));
    for (let n = 0; n < backlog; n += 1) await gateway.emit(`flood ${n}`, 'mail_moved');
  })();
  const emissions: Promise<unknown>[] = [];
  for (let n = 0; performance.now() - started < durationMs; n += 1) {
    emittedAt.set(String(n), performance.now());
    emissions.push(gateway.emit(n, 'mail_received'));
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await Promise.all([flood, ...emissions]);
  while (latencies.length < emissions.length && performance.now() - started < 4 * durationMs) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const [p50, p90, max] = [50, 90, 100].map((p) => Math.round(percentile(latencies, p)));
  process.stdout.write(
    `${dialect.name}, ${hangingCount} that hang: p50 ${p50} ms, p90 ${p90} ms, max ${max} ms; ${latencies.length} of ${emissions.length} arrived\n`,
  );
  silent.close();
  answering.close();
  answering.closeAllConnections();
  await Promise.race([gateway.close(), new Promise((resolve) => setTimeout(resolve, 20_000))]);
  await place.drop();
}
process.exit(0);
