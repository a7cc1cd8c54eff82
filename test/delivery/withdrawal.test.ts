/**
 * What is claimed for a webhook is sent as the webhook is at that moment, or not at all: whichever process has changed it, and
 * whether it tells others or not.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { disableWebhook } from '../../src/capabilities/webhooks/destinations.ts';
import { confirmClaims } from '../../src/delivery/confirm.ts';
import type { Database } from '../../src/store/database.ts';
import { databases, type TestDialect } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';

interface Change {
  /** @param by the gateway whose process makes the change */
  make(by: Gateway, id: string, gateway: DeliveringGateway, address: string): Promise<unknown>;
  /** Whether deliveries go on, changed. */
  readonly goesOn?: true;
}

const webhooks = ({ app }: Gateway) => app.ports.webhooks;
const caller = ({ space }: DeliveringGateway) => requestContext(space.workspaceId);

const changes: Readonly<Record<string, Change>> = {
  disabled: {
    make: (by, id, gateway) => webhooks(by).update(caller(gateway), { webhook_id: id, enabled: false }),
  },
  'disabled and enabled again': {
    async make(by, id, gateway) {
      await webhooks(by).update(caller(gateway), { webhook_id: id, enabled: false });
      await webhooks(by).update(caller(gateway), { webhook_id: id, enabled: true });
    },
  },
  'disabled by its destination': {
    make: (by, id) => by.app.database.transaction().execute((open) => disableWebhook(open, id, 'gone', 1)),
  },
  paused: {
    make: (by, id) =>
      by.app.database
        .updateTable('webhook_destinations')
        .set({ paused_until: by.clock.now.getTime() + 60_000 })
        .where('webhook_id', '=', id)
        .execute(),
  },
  deleted: { make: (by, id, gateway) => webhooks(by).delete(caller(gateway), { id }) },
  'narrowed to other accounts': {
    make: async (by, id, gateway) =>
      webhooks(by).update(caller(gateway), { webhook_id: id, account_ids: [await gateway.space.account()] }),
  },
  'sent elsewhere': {
    make: (by, id, gateway, address) =>
      webhooks(by).update(caller(gateway), { webhook_id: id, request_url: `${address}/changed` }),
    goesOn: true,
  },
  'sent with another header': {
    make: (by, id, gateway) =>
      webhooks(by).update(caller(gateway), { webhook_id: id, headers: [{ key: 'x-of', value: 'changed' }] }),
    goesOn: true,
  },
  'given other data': {
    make: (by, id, gateway) =>
      webhooks(by).update(caller(gateway), { webhook_id: id, data: [{ name: 'changed', key: 'user_full_name' }] }),
    goesOn: true,
  },
  'signed with another secret': {
    make: (by, id, gateway) => webhooks(by).rotateSecret(caller(gateway), { webhook_id: id }),
    goesOn: true,
  },
};

const cases = databases.flatMap((dialect) =>
  Object.entries(changes).flatMap(([change, { make, goesOn }]) =>
    // What the process that sends does about its own change has no SQL of its own.
    (dialect.name === 'SQLite' ? [true, false] : [false]).map((own) => ({
      name: dialect.name,
      dialect,
      change,
      make,
      goesOn,
      own,
      where: own ? 'the process that sends' : 'another process',
    })),
  ),
);

it.each(cases)('nothing is sent as before once a webhook was $change in $where, on $name', async (each) => {
  const receiver = await startReceiver();
  // No request is slow, however long the test takes: for a destination that is slow nothing is claimed ahead.
  const gateway = await startDelivering({ dialect: each.dialect, delivery: { clock: () => 0 } });
  const environment = { DATABASE_URL: gateway.databaseUrl, OUTBOUND_ALLOW: '127.0.0.0/8' };
  // It claims nothing: what it is told, it only stores.
  const other = each.own ? null : await startGateway({ environment, delivery: { limits: { slots: 0 } } });
  onTestFinished(async () => {
    await other?.close();
    await gateway.close();
    await receiver.close();
  });
  const id = await gateway.webhook(receiver.address);
  await gateway.emit('first');
  await gateway.delivery.worker.idle();
  const answers: (() => void)[] = [];
  receiver.answer = (_request, response) => void answers.push(() => response.end());
  // Of these it has claimed more than it sends at once.
  for (let n = 0; n < 40; n += 1) await gateway.emit(n);
  const claimed = async () => (await gateway.deliveries()).filter(({ claim_token }) => claim_token !== null).length;
  await expect.poll(claimed).toBeGreaterThan(25);
  await receiver.waitFor(1 + 9);
  await each.make(other ?? gateway, id, gateway, receiver.address);
  const before = receiver.received.length;
  receiver.answer = (_request, response) => void response.end();
  for (const answer of answers) answer();
  await gateway.delivery.worker.idle();
  const after = receiver.received.slice(before);
  expect(after).toHaveLength(each.goesOn === true ? 41 - before : 0);
  for (const { path, headers, body } of after) {
    const isResigned = headers['webhook-signature']?.includes(' ') === true;
    expect([path, headers['x-of'], body.toString().includes('"changed"'), isResigned]).toContain(
      each.change === 'sent elsewhere' ? '/changed' : each.change === 'sent with another header' ? 'changed' : true,
    );
  }
});

/** A gateway that claims nothing by itself, with deliveries to each webhook that the test has claimed. */
async function startClaimed(dialect: TestDialect, events: number) {
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  onTestFinished(() => gateway.close());
  const { database } = gateway.app;
  for (const path of ['a', 'b', 'c']) await gateway.webhook(`https://hooks.example/${path}`);
  for (let n = 0; n < events; n += 1) await gateway.emit(n);
  const claims = database.updateTable('deliveries').set({ claim_token: 'token' });
  const claimed = await claims.returning(['id', 'webhook_id']).execute();
  const tickets = claimed.map(({ id, webhook_id }) => {
    return { deliveryId: id, claimToken: 'token', destination: { webhookId: webhook_id }, revision: 0 };
  });
  return { database, claimed, tickets };
}

it.each(databases)('the last look before sending waits for no writer, on $name', async (dialect) => {
  const { database, claimed, tickets } = await startClaimed(dialect, 1);
  await database.transaction().execute(async (writing) => {
    await writing.updateTable('deliveries').set({ claim_token: 'other' }).execute();
    const confirmed = await confirmClaims(database, tickets, 0);
    expect([...confirmed].sort()).toEqual(claimed.map(({ id }) => id).sort());
  });
});

it.each(databases)('a claim that was freed is not sent, and the others of its round are, on $name', async (dialect) => {
  const { database, claimed, tickets } = await startClaimed(dialect, 2);
  const [{ webhook_id: freed } = { webhook_id: '' }] = claimed;
  const change = (claim_token: string | null) =>
    database.updateTable('deliveries').set({ claim_token }).where('webhook_id', '=', freed).execute();
  await change('another');
  const round = tickets.map((ticket) =>
    ticket.destination.webhookId === freed ? { ...ticket, claimToken: 'another' } : ticket,
  );
  const confirmed = async () => [...(await confirmClaims(database, round, 0))].sort();
  expect(await confirmed()).toEqual(claimed.map(({ id }) => id).sort());
  await change(null);
  const others = claimed.filter(({ webhook_id }) => webhook_id !== freed);
  expect(await confirmed()).toEqual(others.map(({ id }) => id).sort());
});

const losses: Readonly<Record<string, (database: Database, webhookId: string) => Promise<unknown>>> = {
  'what others have taken of it': (database, webhookId) =>
    database.updateTable('deliveries').set({ claim_token: 'others' }).where('webhook_id', '=', webhookId).execute(),
  'a webhook that holds its deliveries': async (database, webhookId) => {
    await database.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', webhookId).execute();
    await database.updateTable('deliveries').set({ state: 'held' }).where('webhook_id', '=', webhookId).execute();
  },
};

describe.each(databases)('on $name', (dialect) => {
  it.each(Object.entries(losses))('a claim goes on without %s', async (_what, lose) => {
    const { database, claimed, tickets } = await startClaimed(dialect, 2);
    const [{ webhook_id: lost } = { webhook_id: '' }] = claimed;
    await lose(database, lost);
    const left = claimed.filter(({ webhook_id }) => webhook_id !== lost).map(({ id }) => id);
    for (const order of [tickets, tickets.toReversed()]) {
      const confirmed = await confirmClaims(database, order, 0);
      expect([...confirmed].sort()).toEqual(left.toSorted());
    }
  });
});
