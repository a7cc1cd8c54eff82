/** No transaction announces its changes: NOTIFY takes a lock of the whole server until the commit is on the disk. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { afterTimeout } from '../../src/kernel/lib/after.ts';
import { type Channels, notify } from '../../src/store/channel-messages.ts';
import { DatabaseFault, unconfirmed } from '../../src/store/faults.ts';
import { createNotifications } from '../../src/store/notifications.ts';
import { PostgresClient } from '../../src/store/postgres-client.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { requestContext } from '../support/request-context.ts';

/** Of each connection, in order. */
const statements = new Map<object, string[]>();

/** Those between the beginning of a transaction and its end. */
function ofTransactions(): string[] {
  const found: string[] = [];
  for (const texts of statements.values()) {
    let isInside = false;
    for (const text of texts) {
      if (/^(?:begin|start transaction)/i.test(text)) isInside = true;
      else if (/^(?:commit|rollback)/i.test(text)) isInside = false;
      else if (isInside) found.push(text);
    }
  }
  return found;
}

const [, dialect] = databases;

describe.skipIf(dialect === undefined)('on Postgres', () => {
  let gateway: DeliveringGateway;

  beforeEach(async () => {
    statements.clear();
    const query = PostgresClient.prototype.query;
    vi.spyOn(PostgresClient.prototype, 'query').mockImplementation(function (
      this: PostgresClient,
      ...given: unknown[]
    ) {
      const [first] = given;
      const text = typeof first === 'string' ? first : (first as { text: string }).text;
      statements.set(this, [...(statements.get(this) ?? []), text]);
      return Reflect.apply(query, this, given);
    });
    if (dialect === undefined) throw new Error('there is no Postgres');
    gateway = await startDelivering({ dialect });
  });
  afterEach(async () => {
    await gateway.close();
    vi.restoreAllMocks();
  });

  it('an event, its delivery, a change of its webhook and a redelivery are announced after their commits', async () => {
    const request = () => requestContext(gateway.space.workspaceId);
    const webhook_id = await gateway.webhook('https://hooks.example/');
    const [delivery_id = ''] = (await gateway.emit('a')).deliveries;
    await gateway.delivery.worker.idle();
    await gateway.app.database.updateTable('deliveries').set({ state: 'failed' }).execute();
    const { ports } = gateway.app;
    await ports.deliveries.redeliver(request(), { delivery_id });
    await ports.webhooks.update(request(), { webhook_id, enabled: false });
    await gateway.emit('b');
    await gateway.delivery.worker.idle();
    const all = () => [...statements.values()].flat().filter((text) => text.includes('pg_notify'));
    await expect.poll(all).not.toEqual([]);
    expect(ofTransactions().length).toBeGreaterThan(4);
    expect(ofTransactions().filter((text) => /notify/i.test(text))).toEqual([]);
  });

  it('what a commit without an answer may have stored is announced: who repeats it hears that it is stored', async () => {
    const channels: Channels = {
      send: (database, messages) => notify(database, randomUUID(), messages),
      subscribe() {},
      close: async () => undefined,
    };
    const { transaction } = createNotifications(gateway.app.database, channels, afterTimeout);
    const silence = unconfirmed(new DatabaseFault('unavailable', new Error('The connection was lost')));
    const announced = () => [...statements.values()].flat().filter((text) => text.includes('pg_notify'));
    const tell = (error: Error) =>
      transaction(async (_, changed) => {
        changed.event('0123456789012345678901');
        throw error;
      });
    await expect(tell(new Error('not stored'))).rejects.toThrow('not stored');
    await sleep(50);
    expect(announced()).toEqual([]);
    await expect(tell(silence)).rejects.toBe(silence);
    await expect.poll(announced, { timeout: 5_000 }).toHaveLength(1);
  });
});
