/** How the worker behaves: fair, bounded, and orderly when it stops. */
import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { retryDelays } from '../../src/delivery/retry-policy.ts';
import type { Database } from '../../src/store/database.ts';
import { databases, type TestDialect } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';

it.each(databases)('many that are new and hang yield their places to one that waits, on $name', async (dialect) => {
  const [silent, fast] = [await startReceiver(), await startReceiver()];
  silent.answer = () => {};
  const limits = { slots: 8, firstSlots: 8, allSlots: 8, slowAfterMs: 50, probeMs: 20, yieldAfterMs: 100 };
  const gateway = await startDelivering({ dialect, delivery: { limits } });
  for (let n = 0; n < 30; n += 1) await gateway.webhook(silent.address);
  await gateway.emit(1);
  await silent.waitFor(6);
  const id = await gateway.webhook(fast.address);
  await gateway.emit(2);
  await fast.waitFor(1);
  const attempts = await gateway.app.database
    .selectFrom('delivery_attempts')
    .innerJoin('deliveries', 'deliveries.id', 'delivery_attempts.delivery_id')
    .selectAll()
    .where('webhook_id', '!=', id)
    .execute();
  // Their places are for others after that long, and they are tried again.
  expect(attempts.length).toBeGreaterThan(0);
  for (const attempt of attempts) expect(attempt).toMatchObject({ failure: 'timeout', status: null, state: 'pending' });
  for (const { duration_ms } of attempts) expect(duration_ms).toBeLessThan(14_000);
  silent.answer = (_request, response) => void response.end();
  await silent.close();
  await gateway.close();
  await fast.close();
});

it.each(databases)('a destination gets no more connections than requests at once, on $name', async (dialect) => {
  const receiver = await startReceiver();
  const gateway = await startDelivering({ dialect, delivery: { limits: { initial: 16, perDestination: 32 } } });
  await gateway.webhook(receiver.address);
  let most = 0;
  let open: ServerResponse[] = [];
  // Many answers come at the same moment, so that many places are free before their connections are.
  receiver.answer = (_request, response) => {
    most = Math.max(most, receiver.connections);
    if (open.push(response) > 1) return;
    setTimeout(() => {
      for (const each of open) each.end();
      open = [];
    }, 5);
  };
  // Twenty at once: of three hundred some would wait too long for a connection to the database.
  const emitOf = async (first: number) => {
    for (let n = first; n < 300; n += 20) await gateway.emit(n);
  };
  await Promise.all(Array.from({ length: 20 }, (_, first) => emitOf(first)));
  await gateway.delivery.worker.idle();
  expect(receiver.received).toHaveLength(300);
  // A machine that is busy may not come to use all of them.
  expect(most).toBeLessThanOrEqual(32);
  expect(most).toBeGreaterThan(8);
  await gateway.close();
  await receiver.close();
});

it.each(databases)('a worker that has nothing to do does nothing, on $name', async (dialect) => {
  const after: (() => void)[] = [];
  const collect = (_ms: number, work: () => void) => {
    after.push(work);
    return () => {};
  };
  const gateway = await startDelivering({ dialect, delivery: { after: collect } });
  await gateway.delivery.worker.idle();
  const scheduled = after.length;
  const transactions = vi.spyOn(gateway.app.database, 'transaction');
  const connections = vi.spyOn(gateway.app.database, 'connection');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(transactions).not.toHaveBeenCalled();
  expect(connections).not.toHaveBeenCalled();
  expect(after).toHaveLength(scheduled);
  await gateway.close();
});

it.each(databases)('a webhook whose secret cannot be opened holds up no other, on $name', async (dialect) => {
  const receiver = await startReceiver();
  const gateway = await startDelivering({ dialect });
  const { database } = gateway.app;
  const broken = await gateway.webhook(`${receiver.address}/broken`);
  await gateway.emit(1);
  await receiver.waitFor(1);
  await gateway.delivery.worker.idle();
  await database.updateTable('webhook_destinations').set({ secrets: 'sealed1:AAAA' }).execute();
  await gateway.webhook(`${receiver.address}/whole`);
  await gateway.emit(2);
  await receiver.waitFor(2);
  await gateway.delivery.worker.idle();
  expect(receiver.received.map(({ path }) => path)).toEqual(['/broken', '/whole']);
  const errors = () => gateway.log.filter(({ level }) => level === 50);
  const line = { webhookId: broken, msg: 'a delivery could not be prepared' };
  expect(errors()).toMatchObject([line]);
  for (const n of [3, 4]) {
    await gateway.emit(n);
    await gateway.delivery.worker.idle();
  }
  expect(errors()).toHaveLength(1);
  await gateway.pass(61_000);
  expect(errors()).toMatchObject([line, { ...line, leftOut: 2 }]);
  expect(JSON.stringify(gateway.log)).not.toContain('AAAA');
  await gateway.close();
  await receiver.close();
});

it.each(databases)(
  'a delivery whose secret cannot be opened is retried as any other, and fails at the end, on $name',
  async (dialect) => {
    const receiver = await startReceiver();
    const gateway = await startDelivering({ dialect });
    const { database } = gateway.app;
    const id = await gateway.webhook(receiver.address);
    const secrets = async (sealed: string) =>
      database.updateTable('webhook_destinations').set({ secrets: sealed }).execute();
    const { secrets: whole } = await database
      .selectFrom('webhook_destinations')
      .select('secrets')
      .executeTakeFirstOrThrow();
    await secrets('sealed1:AAAA');
    await gateway.emit('mended');
    await gateway.delivery.worker.idle();
    expect(await gateway.deliveries()).toMatchObject([{ state: 'pending', attempts: 1, claim_token: null }]);
    // It comes back, such as with the former SECRET.
    await secrets(whole);
    await gateway.pass(7_000);
    expect(receiver.received).toHaveLength(1);
    await secrets('sealed1:AAAA');
    await gateway.emit('lost');
    await gateway.delivery.worker.idle();
    for (const delay of retryDelays) await gateway.pass(delay * 1.21);
    expect(await gateway.deliveries()).toMatchObject([
      { state: 'succeeded', attempts: 2 },
      { state: 'failed', attempts: 10 },
    ]);
    // The destination is not to blame.
    const { enabled } = await database
      .selectFrom('webhooks')
      .select('enabled')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(enabled).toBe(1);
    expect(receiver.received).toHaveLength(1);
    await gateway.close();
    await receiver.close();
  },
);

it.each(databases)(
  'an outcome that cannot be stored holds up no other, on $name',
  { timeout: 60_000 },
  async (dialect) => {
    const receiver = await startReceiver();
    const answers: (() => void)[] = [];
    const gateway = await startDelivering({ dialect });
    await gateway.webhook(receiver.address);
    await gateway.emit('first');
    await gateway.delivery.worker.idle();
    receiver.answer = (_request, response) => void answers.push(() => response.end());
    const [refused = ''] = (await gateway.emit('refused')).deliveries;
    for (let n = 0; n < 5; n += 1) await gateway.emit(n);
    await receiver.waitFor(7);
    await refuseAttempts(gateway.app.database, dialect.name, refused);
    for (const answer of answers) answer();
    const stored = async () => (await gateway.deliveries()).filter(({ state }) => state === 'succeeded').length;
    await expect.poll(stored).toBe(6);
    expect((await gateway.deliveries()).find(({ id }) => id === refused)).toMatchObject({ state: 'pending' });
    await gateway.close();
    await receiver.close();
  },
);

/** Makes the database refuse the attempts of a delivery. */
async function refuseAttempts(database: Database, name: TestDialect['name'], id: string): Promise<void> {
  if (name === 'SQLite') {
    await sql`create trigger refusal before insert on delivery_attempts when new.delivery_id = ${sql.lit(id)}
      begin select raise(abort, 'refused'); end`.execute(database);
  } else {
    await sql`alter table delivery_attempts add check (delivery_id <> ${sql.lit(id)})`.execute(database);
  }
}
