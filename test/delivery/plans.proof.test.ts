/**
 * The plans of every statement that emits, claims, settles, counts, lists, requeues and deletes: none of them reads a table, or a
 * whole index, of which it needs a part. The statements are those that the operations execute.
 */
import { randomBytes } from 'node:crypto';
import { CompiledQuery, DefaultQueryExecutor, sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deleteOldStatistics } from '../../src/capabilities/deliveries/attempt-counts.ts';
import { requeueAll } from '../../src/capabilities/deliveries/requeue.ts';
import { jobOrders } from '../../src/capabilities/jobs/vocabulary.ts';
import { webhookOrders } from '../../src/capabilities/webhooks/shapes.ts';
import { confirmClaims } from '../../src/delivery/confirm.ts';
import { freeDeadClaims } from '../../src/delivery/dead-claims.ts';
import { deleteStep, firstPosition } from '../../src/delivery/retention-step.ts';
import { releaseClaims } from '../../src/delivery/settle.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Database } from '../../src/store/database.ts';
import { databases, type TestDialect } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { fillingOf, subjects } from '../support/growth/fill.ts';
import { runOperations, runQueue } from '../support/growth/operations.ts';
import { requestContext } from '../support/request-context.ts';

const rows = 1_000;

/**
 * Whether a plan reads all of something. Generated tables may be read, and the index of claims, which is as small as what is
 * in flight, the webhooks that were disabled a moment ago, and, once a day, the bytes that workspaces have stored by day (100,000
 * rows take 20 ms). Here nobody receives notices.
 */
const readsAll: Readonly<Record<TestDialect['name'], (plan: readonly string[]) => boolean>> = {
  SQLite: (plan) =>
    plan.some(
      (line, place) =>
        // A part that was read before, under the name of its table.
        !plan.slice(0, place).includes(line.replace('SCAN', 'CO-ROUTINE')) &&
        // All deliveries of a workspace, or all its webhooks beside a list of ids.
        /(deliveries_of_workspace|webhooks_by_health) \(workspace_id=\?\)|^SCAN (?!(json_each|ranged|due|merged|part|some|aside|away|claimed|pending_notices|pending_holds|oldest_deliveries|stored_bytes)\b|.*CONSTANT ROW|.*INDEX deliveries_claimed)/.test(
          line,
        ),
    ),
  Postgres: (plan) =>
    plan.some((line, place) => {
      if (/^(-> +)?Seq Scan on /.test(line)) return true;
      return (
        /Index (Only )?Scan (?!.*(?:deliveries_claimed|pending_notices|pending_holds|oldest_deliveries|notice_receivers))/.test(
          line,
        ) && !plan[place + 1]?.startsWith('Index Cond')
      );
    }),
};

/** Whether a statement that knows ids, or the webhook, looks at all rows of a workspace in SQLite. */
const readsWorkspace = ({
  statement,
  plan,
}: {
  readonly statement: string;
  readonly plan: readonly string[];
}): boolean =>
  /\b(id|webhook_id)" (= \?|in \(\?)/.test(statement) &&
  plan.some((line) => /^SEARCH (accounts|jobs|webhooks|deliveries) .*\(workspace_id=\?/.test(line));

/** The statements that `work` executes. */
async function statementsOf(work: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const seen = new Map<string, CompiledQuery>();
  const { executeQuery } = DefaultQueryExecutor.prototype;
  const spy = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(function (
    this: DefaultQueryExecutor,
    query,
    ...rest
  ) {
    seen.set(query.sql, query);
    return executeQuery.call(this, query, ...rest) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return [...seen.values()].filter(({ sql: text }) => /^\s*(with|select|update|delete|insert)\b/i.test(text));
}

/** Postgres reads small tables as a whole, and a hash or a merge join reads one for few rows of the other. */
const choices = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];

function plansOf(database: Database, dialect: TestDialect, queries: readonly CompiledQuery[]) {
  const explain = dialect.name === 'SQLite' ? 'explain query plan ' : 'explain ';
  return database.transaction().execute(async (transaction) => {
    if (dialect.name === 'Postgres') {
      for (const choice of choices) await sql.raw(`set local ${choice} = off`).execute(transaction);
    }
    const plans: { statement: string; plan: string[] }[] = [];
    for (const query of queries) {
      const text = CompiledQuery.raw(explain + query.sql, [...query.parameters]);
      const { rows: lines } = await transaction.executeQuery<Record<string, string>>(text);
      const plan = lines.map((line) => (line.detail ?? line['QUERY PLAN'] ?? '').trim());
      plans.push({ statement: query.sql, plan });
    }
    return plans;
  });
}

interface PlanNode {
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** How many rows statements read in an index, when they are executed once more. */
async function rowsOfIndex(database: Database, index: string, queries: readonly CompiledQuery[]): Promise<number> {
  const rowsOf = (node: PlanNode): number =>
    (node['Index Name'] === index ? node['Actual Rows'] * node['Actual Loops'] : 0) +
    (node.Plans ?? []).map(rowsOf).reduce((sum, each) => sum + each, 0);
  let read = 0;
  for (const query of queries) {
    const text = CompiledQuery.raw(`explain (analyze, format json) ${query.sql}`, [...query.parameters]);
    const { rows: found } = await database.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(text);
    for (const { 'QUERY PLAN': plans } of found) read += rowsOf(plans[0].Plan);
  }
  return read;
}

describe.each(databases)('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  afterEach(() => gateway.close());

  it('no table is scanned as a whole', async () => {
    const environment = { WEBHOOKS_PER_WORKSPACE: '10000' };
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } }, environment });
    const { app, accountId, space, clock } = gateway;
    const { database } = app;
    const kind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
    const account_ids = JSON.stringify([accountId]);
    const webhookId = await gateway.webhook('https://hooks.example/', { account_ids });
    const filling = fillingOf(gateway, kind, webhookId);
    const { now } = filling;
    await subjects['waiting destinations'](filling, rows);
    await subjects['finished deliveries']({ ...filling, offset: rows }, rows);
    if (kind === 'postgres') await sql`analyze`.execute(database);

    const { transaction } = gateway.delivery.notifications;
    const context = requestContext(space.workspaceId);
    const statements = await statementsOf(async () => {
      await runOperations({ gateway, webhookId });
      const { items } = await app.ports.deliveries.list(context, { webhook_id: webhookId });
      const [delivery_id = ''] = items.map((item) => item.delivery_id);
      await app.ports.deliveries.find(context, [delivery_id]);
      const someIds = Array.from({ length: 20 }, () => newId(randomBytes));
      await app.ports.deliveries.find(context, someIds);
      await app.ports.deliveries.lastAttempts(context, someIds);
      await app.ports.deliveries.data(context, someIds);
      await app.ports.webhooks.find(context, someIds);
      await app.ports.webhooks.whole(context, someIds);
      await app.ports.webhooks.health(context, someIds);
      await app.ports.deliveries.backlog(context, someIds);
      await app.ports.jobs.find(context, someIds);
      await app.ports.jobs.fields(context, { job_ids: someIds, fields: ['description'] });
      await app.ports.accounts.find(context, someIds);
      const narrowed = {
        webhook_id: webhookId,
        events: ['new_relation' as const],
        account_id: accountId,
        since: new Date(1).toISOString(),
        until: clock.now.toISOString(),
      };
      await app.ports.deliveries.lists(context, [{ webhook_id: webhookId }, narrowed]);
      await app.ports.deliveries.counts(context, [{ webhook_id: webhookId }, narrowed]);
      const { webhook_id: _, ...ofWorkspace } = narrowed;
      const limited = { ...context, caller: { ...context.caller, accountIds: new Set([accountId]) } };
      for (const caller of [context, limited]) {
        await app.ports.deliveries.lists(caller, [{}, ofWorkspace, { order_by: 'created_at_asc' }]);
        await app.ports.deliveries.lists(caller, [{ states: ['failed'] }]);
        await app.ports.deliveries.counts(caller, [{}, ofWorkspace]);
        const ofEvent = { event_id: newId(randomBytes) };
        const both = { ...ofEvent, webhook_id: webhookId, states: ['failed' as const] };
        await app.ports.deliveries.lists(caller, [ofEvent, both, { ...ofEvent, order_by: 'created_at_asc' }]);
        await app.ports.deliveries.counts(caller, [ofEvent, both]);
      }
      await app.ports.deliveries.lists(context, [{ webhook_id: webhookId, order_by: 'created_at_asc' }]);
      await app.ports.deliveries.findEvents(limited, someIds);
      await app.ports.deliveries.dataOfEvents(limited, someIds);
      for (const caller of [context, limited])
        for (const filter of [{}, { events: ['new_relation' as const] }, { account_ids: [accountId] }]) {
          const page = await app.ports.deliveries.events(caller, { ...filter, limit: 5 });
          await app.ports.deliveries.events(caller, { ...filter, limit: 5, cursor: page.cursor ?? undefined });
          const signal = AbortSignal.timeout(60_000);
          const since = new Date(clock.now.getTime() + 60_000).toISOString();
          const events = await app.ports.deliveries.watchEvents({ ...caller, signal }, { ...filter, since });
          await gateway.emit('watched');
          await events.next();
          await events.return(undefined);
        }
      // Not what every webhook here listens to: to find those, reading all is right.
      const filter = { sources: ['email' as const], events: ['mail_sent' as const], is_enabled: true };
      await app.ports.webhooks.lists(context, [{}, { ...filter, account_id: accountId }, { account_id: accountId }]);
      const ofHealth = { health_states: ['failing' as const, 'disabled_by_gateway' as const] };
      await app.ports.webhooks.lists(context, [ofHealth, { ...ofHealth, ...filter }]);
      await app.ports.webhooks.list(context, ofHealth);
      await app.ports.webhooks.counts(context, [ofHealth]);
      for (const order_by of webhookOrders) {
        const found = { query: 'x', order_by };
        await app.ports.webhooks.lists(context, [{ order_by }, found, { ...ofHealth, order_by }]);
        await app.ports.webhooks.list(context, found);
      }
      await app.ports.webhooks.counts(context, [{ query: 'x' }]);
      await app.ports.deliveries.summary(context, { period: 'month' });
      await app.ports.webhooks.counts(context, [{}, filter, { account_id: accountId }]);
      const jobs = { account_id: accountId, states: ['draft' as const] };
      await app.ports.jobs.lists(context, [{}, jobs]);
      await app.ports.jobs.counts(context, [{}, jobs, { query: 'x' }]);
      for (const order_by of jobOrders) await app.ports.jobs.lists(context, [{ order_by }, { order_by, query: 'x' }]);
      await app.ports.accounts.list(context, { types: ['PNET'], statuses: ['OK'] });
      await app.ports.accounts.counts(context, [{}, { types: ['PNET'] }]);
      await app.ports.deliveries.attempts(context, { delivery_id });
      await app.ports.deliveries.lastAttempts(context, [delivery_id]);
      await app.ports.deliveries.redeliver(context, { delivery_id });
      const failed = database.selectFrom('deliveries').select('id').where('webhook_id', '=', webhookId).limit(20);
      await database.updateTable('deliveries').set({ state: 'failed' }).where('id', 'in', failed).execute();
      const changes = await app.ports.deliveries.watch(context, { webhook_ids: [webhookId] });
      const change = changes.next();
      const requeued = { webhookId, state: 'failed', since: 1, until: now, accountIds: [accountId] } as const;
      await requeueAll(transaction, requeued, now);
      await change;
      await changes.return(undefined);
      await app.ports.webhooks.health(context, [webhookId]);
      await app.ports.webhooks.update(context, { webhook_id: webhookId, enabled: false });
      await deleteStep(database, { before: 2, from: firstPosition, size: 100 }, () => 0);
      await deleteOldStatistics(database, now);
      const presence = { id: 'own', findDead: async () => ['dead----'] };
      await freeDeadClaims({
        database,
        transaction,
        presence,
        logger: pino({ level: 'silent' }),
        after: () => () => {},
      });
    });
    expect(statements.length).toBeGreaterThan(30);
    const readAsAWhole = async () =>
      (await plansOf(database, dialect, statements)).filter(
        (each) => readsAll[dialect.name](each.plan) || readsWorkspace(each),
      );
    expect(await readAsAWhole()).toEqual([]);
    // It would be found.
    await database.schema.dropIndex('events_by_age').execute();
    expect(await readAsAWhole()).not.toEqual([]);
  });

  it.skipIf(dialect.name === 'SQLite')(
    'a claim reads no more than it takes, where Postgres expects nothing to be due',
    async () => {
      gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
      const { database } = gateway.app;
      const webhookId = await gateway.webhook('https://hooks.example/');
      const filling = fillingOf(gateway, 'postgres', webhookId);
      await subjects['finished deliveries'](filling, rows);
      await sql`analyze`.execute(database);
      await subjects['waiting deliveries']({ ...filling, offset: rows }, rows);
      await sql`update deliveries set next_at = 0 where state = 'pending'`.execute(database);

      const statements = await statementsOf(() => runQueue({ gateway, webhookId }, [], webhookId, true));
      expect(statements.length).toBeGreaterThan(4);
      const read = await rowsOfIndex(database, 'deliveries_ready', statements);
      // It claims eight, and looks for one destination and for another.
      expect(read).toBeGreaterThan(8);
      expect(read).toBeLessThan(20);
    },
  );

  it.skipIf(dialect.name === 'SQLite')(
    'the last look before sending reads what is about to be sent, where Postgres expects nothing to wait',
    async () => {
      gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
      const { database } = gateway.app;
      const webhookId = await gateway.webhook('https://hooks.example/');
      const filling = fillingOf(gateway, 'postgres', webhookId);
      await sql`analyze`.execute(database);
      await subjects['waiting deliveries'](filling, rows);
      const waiting = await database.selectFrom('deliveries').select('id').limit(8).execute();
      const tickets = waiting.map(({ id }) => ({
        deliveryId: id,
        claimToken: 'token',
        destination: { webhookId },
        revision: 0,
      }));

      const statements = await statementsOf(() => confirmClaims(database, tickets, filling.now));
      const looks = statements.filter(({ sql: text }) => text.includes('revision'));
      const plans = await plansOf(database, dialect, looks);
      const indexes = plans.map(({ plan }) => plan.join().match(/(?<=Scan (on|using) )deliveries_\w+/g));
      expect(indexes).toEqual([['deliveries_pkey']]);
    },
  );

  it.skipIf(dialect.name === 'SQLite')('an event does not read webhooks that are not its receivers', async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
    const { database } = gateway.app;
    const webhookId = await gateway.webhook('https://hooks.example/');
    await subjects.webhooks(fillingOf(gateway, 'postgres', webhookId), rows);
    await sql`analyze`.execute(database);
    const statements = await statementsOf(() => gateway.emit('event'));
    const storing = statements.filter(({ sql: text }) => text.includes('new_event'));
    expect(storing).toHaveLength(1);
    const explained = storing.map(({ sql: text, parameters }) => CompiledQuery.raw(`explain ${text}`, [...parameters]));
    const plans = await Promise.all(explained.map((query) => database.executeQuery(query)));
    expect(JSON.stringify(plans)).toContain('Index Scan using webhooks_pkey');
  });

  it.skipIf(dialect.name === 'SQLite')('ending a claim does not read all that it has taken', async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
    const { database } = gateway.app;
    const webhookId = await gateway.webhook('https://hooks.example/');
    const statements = await statementsOf(async () => {
      await runQueue({ gateway, webhookId }, ['delivery'], webhookId, false);
      await releaseClaims(database, [{ deliveryId: 'delivery', claimToken: 'token' }]);
    });
    const ending = statements.filter(({ sql: text }) => text.includes('update deliveries'));
    expect(ending).toHaveLength(2);
    // Even where it has no other index.
    await sql`alter table deliveries drop constraint deliveries_pkey`.execute(database);
    const plans = await plansOf(database, dialect, ending);
    expect(plans.filter(({ plan }) => plan.join().includes('deliveries_claimed'))).toEqual([]);
  });
});
