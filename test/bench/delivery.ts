/**
 * Figures of the delivery engine:
 *
 *   node test/bench/delivery.ts               on SQLite
 *   TEST_POSTGRES_URL=… node test/bench/delivery.ts   on Postgres too
 *
 * throughput  queued deliveries to one receiver, against a bare loop of undici POSTs to it with the same concurrency
 * latency     from emitting to the first byte at the receiver, nothing else going on
 * hanging     2,000 deliveries to fast endpoints behind 500 to one that never answers, against the same without it
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { Agent, request } from 'undici';
import { laneLimits } from '../../src/delivery/lanes.ts';
import { databases } from '../support/databases.ts';
import { requestContext } from '../support/request-context.ts';
import { type BenchGateway, benchGateway, benchReceiver, percentile } from './gateway.ts';

const deliveries = Number(process.argv[2] ?? 20_000);
const rounds = 5;
const say = (text: string) => void process.stdout.write(`${text}\n`);

const receiver = await benchReceiver();
for (const dialect of databases) {
  say(`${dialect.name}`);
  await throughput(dialect);
  await latency(dialect);
  await hanging(dialect);
}
receiver.close();

async function bareLoop(count: number, concurrency: number): Promise<number> {
  const agent = new Agent({ pipelining: 1 });
  const body = Buffer.from(JSON.stringify({ event: 'mail_sent', n: '1' }));
  const headers = { 'content-type': 'application/json' };
  let left = count;
  const started = performance.now();
  const loop = async () => {
    while (left-- > 0) {
      const answer = await request(receiver.address, { method: 'POST', headers, body, dispatcher: agent });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const seconds = (performance.now() - started) / 1000;
  await agent.close();
  return count / seconds;
}

/** Deliveries that are queued at first, then let go all at once. @returns deliveries a second */
async function drain(gateway: BenchGateway, count: number): Promise<number> {
  const { database } = gateway.app;
  const webhookId = await gateway.webhook(receiver.address, { enabled: false });
  for (let n = 0; n < count; n += 500) await Promise.all(Array.from({ length: 500 }, (_, i) => gateway.emit(n + i)));
  await database.updateTable('webhooks').set({ enabled: 1 }).where('id', '=', webhookId).execute();
  await database.updateTable('deliveries').set({ state: 'pending' }).where('webhook_id', '=', webhookId).execute();
  const started = performance.now();
  await gateway.delivery.worker.idle();
  const seconds = (performance.now() - started) / 1000;
  const { done } = await database
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<number>().as('done'))
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'succeeded')
    .executeTakeFirstOrThrow();
  if (Number(done) !== count) throw new Error(`${done} of ${count} deliveries succeeded`);
  await database.deleteFrom('webhooks').where('id', '=', webhookId).execute();
  return count / seconds;
}

async function throughput(dialect: (typeof databases)[number]) {
  const place = await dialect.location();
  const gateway = await benchGateway(place.url);
  // Both are warm before they are measured, and take turns, so that whatever else the machine does is shared.
  await bareLoop(deliveries, laneLimits.perDestination);
  await drain(gateway, deliveries);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const bare = await bareLoop(deliveries, laneLimits.perDestination);
    const ours = await drain(gateway, deliveries);
    ratios.push(ours / bare);
    say(
      `  throughput, round ${round}: ${ours.toFixed(0)} deliveries/s, bare loop ${bare.toFixed(0)}/s at ${laneLimits.perDestination} at once: ratio ${(ours / bare).toFixed(2)}`,
    );
  }
  const [least, median, most] = [0, 50, 100].map((p) => percentile(ratios, p).toFixed(2));
  say(`  throughput, median ratio ${median} (${least} to ${most})`);
  await gateway.close();
  await place.drop();
}

async function latency(dialect: (typeof databases)[number]) {
  const place = await dialect.location();
  const gateway = await benchGateway(place.url);
  await gateway.app.ports.webhooks.createTrigger(requestContext(gateway.workspaceId), {
    request_url: receiver.address,
    headers: [{ key: 'x-report', value: 'yes' }],
    trigger: { icon: 'WebhookIcon', name: 't', context: 'CHAT' },
  });
  // The header makes the receiver report arrivals; the trigger becomes a webhook that listens.
  const change = { source: 'email' as const, type: 'AUTO', trigger: null, events: '["mail_sent"]' };
  await gateway.app.database.updateTable('webhooks').set(change).execute();
  const times: number[] = [];
  for (let n = 0; n < 220; n += 1) {
    const arrival = once(receiver.process, 'message') as Promise<[{ arrived: number }]>;
    const emitted = performance.timeOrigin + performance.now();
    await gateway.emit(n);
    const [{ arrived }] = await arrival;
    if (n >= 20) times.push(arrived - emitted);
    await gateway.delivery.worker.idle();
  }
  say(
    `  latency, emit to first byte, idle: p50 ${percentile(times, 50).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms`,
  );
  await gateway.close();
  await place.drop();
}

async function hanging(dialect: (typeof databases)[number]) {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const sockets = new Set<{ destroy(): void }>();
  silent.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  const hangs = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const run = async (withHanging: boolean) => {
    const place = await dialect.location();
    const gateway = await benchGateway(place.url, { deadlineMs: 3_000, leaseMs: 9_000 });
    const { database } = gateway.app;
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1)
      ids.push(await gateway.webhook(receiver.address, { enabled: false, event: 'mail_received' }));
    if (withHanging) await gateway.webhook(hangs, { event: 'mail_moved' });
    for (let n = 0; n < 500; n += 1) await gateway.emit(n, 'mail_received');
    if (withHanging) for (let n = 0; n < 500; n += 1) await gateway.emit(n, 'mail_moved');
    const started = performance.now();
    await database.updateTable('webhooks').set({ enabled: 1 }).where('id', 'in', ids).execute();
    await database
      .updateTable('deliveries')
      .set({ state: 'pending' })
      .where('webhook_id', 'in', ids)
      .where('state', '=', 'held')
      .execute();
    gateway.delivery.worker.wake();
    for (;;) {
      const left = await database
        .selectFrom('deliveries')
        .select('id')
        .where('webhook_id', 'in', ids)
        .where('state', '!=', 'succeeded')
        .limit(1)
        .execute();
      if (left.length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const ms = performance.now() - started;
    for (const socket of sockets) socket.destroy();
    await gateway.close();
    await place.drop();
    return ms;
  };
  await run(false);
  const alone = await run(false);
  const behind = await run(true);
  say(
    `  hanging: 2,000 deliveries to 4 fast endpoints in ${alone.toFixed(0)} ms; with 500 for one that hangs before them in ${behind.toFixed(0)} ms: ${(behind / alone).toFixed(2)} times`,
  );
  silent.close();
}
