/** A webhook whose outcomes cannot be stored holds up no other: on Postgres, where somebody may lock one row. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';

const [, dialect] = databases;

it.skipIf(dialect === undefined)(
  'an open transaction on one webhook holds up no other, and repeats no delivery, on Postgres',
  async () => {
    if (dialect === undefined) throw new Error('there is no Postgres');
    const [failing, healthy] = [await startReceiver(), await startReceiver()];
    failing.answer = (_request, response) => response.writeHead(500).end();
    const gateway = await startDelivering({ dialect });
    const webhookId = await gateway.webhook(failing.address);
    await gateway.emit('first');
    await gateway.delivery.worker.idle();
    await gateway.webhook(healthy.address);
    const somebody = new pg.Client({ connectionString: gateway.databaseUrl });
    await somebody.connect();
    await somebody.query('begin');
    await somebody.query('select from webhook_destinations where webhook_id = $1 for update', [webhookId]);
    await gateway.emit('locked');
    await failing.waitFor(2);
    for (let n = 0; n < 20; n += 1) await gateway.emit(n);
    const stored = async () => (await gateway.deliveries()).filter(({ state }) => state === 'succeeded').length;
    await expect.poll(stored, { timeout: 12_000 }).toBe(21);
    expect(gateway.delivery.worker.unstored).toBeGreaterThan(0);
    const body = await (await fetch(`${gateway.address}/readyz`)).json();
    expect(body).toEqual({ status: 'ready', unstored_attempts: gateway.delivery.worker.unstored });
    const messages = () => gateway.log.map(({ msg }) => msg);
    const kept = 'the attempts of a webhook cannot be stored; nothing is sent to it meanwhile';
    await expect.poll(messages, { timeout: 10_000 }).toContain(kept);
    await somebody.query('rollback');
    await somebody.end();
    await expect.poll(() => gateway.delivery.worker.unstored, { timeout: 15_000 }).toBe(0);
    await gateway.delivery.worker.idle();
    const own = (await gateway.deliveries()).filter(({ webhook_id }) => webhook_id === webhookId);
    expect(own).toHaveLength(22);
    for (const { attempts } of own) expect(attempts).toBe(1);
    expect(failing.received).toHaveLength(22);
    expect(messages()).toContain('the attempts of a webhook are stored again');
    await gateway.close();
    await failing.close();
    await healthy.close();
  },
);

it.skipIf(dialect === undefined)(
  'many webhooks of a workspace with a locked row hold up no other workspace, on Postgres',
  async () => {
    if (dialect === undefined) throw new Error('there is no Postgres');
    const [failing, healthy] = [await startReceiver(), await startReceiver()];
    failing.answer = (_request, response) => response.writeHead(500).end();
    // The queue has one connection.
    const gateway = await startDelivering({ dialect, environment: { DATABASE_CONNECTIONS: '10' } });
    for (let n = 0; n < 40; n += 1) await gateway.webhook(failing.address);
    await gateway.emit('first');
    await gateway.delivery.worker.idle();
    const other = await gateway.workspace();
    await gateway.webhook(healthy.address, { workspace_id: other.workspaceId });
    const somebody = new pg.Client({ connectionString: gateway.databaseUrl });
    await somebody.connect();
    await somebody.query('begin');
    await somebody.query('select from workspace_statistics where workspace_id = $1 for update', [
      gateway.space.workspaceId,
    ]);
    await gateway.emit('locked');
    await failing.waitFor(80);
    const event = {
      accountId: await other.account(),
      accountType: 'PNET',
      source: 'users',
      event: 'new_relation',
    } as const;
    for (let n = 0; n < 20; n += 1)
      await gateway.delivery.emit({ ...event, workspaceId: other.workspaceId, data: { user_full_name: `${n}` } });
    const began = performance.now();
    const stored = async () => (await gateway.deliveries()).filter(({ state }) => state === 'succeeded').length;
    await expect.poll(stored).toBe(20);
    // Each of the forty would take two seconds, the longest wait for a lock.
    expect(performance.now() - began).toBeLessThan(10_000);
    // Not all: statistics have other rows for other durations.
    expect(gateway.delivery.worker.unstored).toBeGreaterThan(0);
    await somebody.end();
    await gateway.close();
    await failing.close();
    await healthy.close();
  },
);
