/**
 * What a destination that never answers costs the others: 2,000 deliveries to fast endpoints behind 500 to one that hangs,
 * against the same without it.
 *
 *   node test/bench/deliveries/hanging.ts                       on SQLite
 *   TEST_POSTGRES_URL=… node test/bench/deliveries/hanging.ts   on Postgres too
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { databases } from '../../support/databases.ts';
import { benchGateway } from '../gateway.ts';
import { startBenchReceiver } from './installation.ts';

const receiver = await startBenchReceiver({ receivers: 1, delayMs: 0 });
const [address = ''] = receiver.urls;
for (const dialect of databases) await hanging(dialect);
receiver.process.disconnect();

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
    for (let n = 0; n < 4; n += 1) ids.push(await gateway.webhook(address, { enabled: false, event: 'mail_received' }));
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
  process.stdout.write(
    `${dialect.name}: 2,000 deliveries to 4 fast endpoints in ${alone.toFixed(0)} ms; with 500 for one that hangs before them in ${behind.toFixed(0)} ms: ${(behind / alone).toFixed(2)} times\n`,
  );
  silent.close();
}
