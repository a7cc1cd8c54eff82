/** Fills a database with rows that are generated where they are stored: a million take seconds. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../src/store/database.ts';
import type { DatabaseKind } from '../../../src/store/json.ts';
import type { DeliveringGateway } from '../deliveries.ts';

export interface Filling {
  readonly database: Database;
  readonly kind: DatabaseKind;
  readonly workspaceId: string;
  /** The account that events are emitted for. */
  readonly accountId: string;
  /** The webhook that receives them. */
  readonly webhookId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Rows that there are already. */
  readonly offset?: number;
}

/** Fills the database of a gateway, beside one of its webhooks. */
export const fillingOf = (
  { app, space, accountId, clock }: DeliveringGateway,
  kind: DatabaseKind,
  webhookId: string,
): Filling => ({
  database: app.database,
  kind,
  workspaceId: space.workspaceId,
  accountId,
  webhookId,
  now: clock.now.getTime(),
});

/** What there is `count` of, beside the one webhook that the operations concern. */
export const subjects = {
  /** Webhooks of the same source and event, for other accounts. */
  webhooks: (filling: Filling, count: number) => insertWebhooks(filling, count),
  /** Webhooks that each have a delivery which waits for its retry. */
  'waiting destinations': async (filling: Filling, count: number) => {
    await insertWebhooks(filling, count);
    await insertDeliveries(filling, count, { state: 'pending', nextAt: filling.now + 3_600_000, webhookId: 'other' });
  },
  /** Webhooks that nothing is sent to for the moment, each with a delivery that is due. */
  'paused destinations': async (filling: Filling, count: number) => {
    await insertWebhooks(filling, count, filling.now + 3_600_000);
    await insertDeliveries(filling, count, { state: 'pending', nextAt: 0, webhookId: 'other' });
  },
  /** Events with a delivery each that the concerned webhook has received. */
  'finished deliveries': (filling: Filling, count: number) =>
    insertDeliveries(filling, count, { state: 'succeeded', nextAt: 0, webhookId: 'own' }),
  /** Events with a delivery each that the concerned webhook will receive. */
  'waiting deliveries': (filling: Filling, count: number) =>
    insertDeliveries(filling, count, { state: 'pending', nextAt: filling.now + 3_600_000, webhookId: 'own' }),
} as const satisfies Readonly<Record<string, (filling: Filling, count: number) => Promise<void>>>;

/** Numbers as a table `series` with the column `n`. */
const series = ({ kind, offset = 0 }: Filling, count: number): RawBuilder<unknown> =>
  kind === 'postgres'
    ? sql`generate_series(${sql.lit(offset + 1)}, ${sql.lit(offset + count)}) as series(n)`
    : sql`(with recursive s(n) as (select ${sql.lit(offset + 1)} union all select n + 1 from s where n < ${sql.lit(offset + count)}) select n from s) as series`;

/** Rows of one transaction: the gateway gives up a server that does not respond for some seconds. */
const rowsOfPart = 20_000;

async function inParts(filling: Filling, count: number, insert: (part: Filling, size: number) => Promise<void>) {
  const { offset = 0 } = filling;
  for (let at = 0; at < count; at += rowsOfPart) {
    await insert({ ...filling, offset: offset + at }, Math.min(rowsOfPart, count - at));
  }
}

/** An id with a place: 22 characters, as others have. */
const idOf = (kind: DatabaseKind, letter: string): RawBuilder<string> =>
  kind === 'postgres'
    ? sql<string>`${sql.lit(letter)} || lpad(series.n::text, 20, '0') || 'A'`
    : sql<string>`${sql.lit(letter)} || printf('%020d', series.n) || 'A'`;

const insertWebhooks = (filling: Filling, count: number, pausedUntil = 0) =>
  inParts(filling, count, (part, size) => insertSomeWebhooks(part, size, pausedUntil));

async function insertSomeWebhooks(filling: Filling, count: number, pausedUntil: number) {
  const { database, kind, workspaceId, webhookId, now } = filling;
  const numbers = series(filling, count);
  const account = sql`'["' || ${idOf(kind, 'a')} || '"]'`;
  await database.transaction().execute(async (transaction) => {
    await takeTime(kind, transaction, true);
    await sql`
      insert into webhooks (id, workspace_id, type, source, name, enabled, request_url, format, account_ids, headers, data, events, created_at)
      select ${idOf(kind, 'w')}, ${workspaceId}, type, source, name, enabled, request_url, format, ${account}, '[]', data, events, ${sql.lit(now)} + series.n
      from ${numbers} cross join webhooks where webhooks.id = ${webhookId}`.execute(transaction);
    await sql`
      insert into webhook_destinations (webhook_id, secrets, secret_shown, paused_until)
      select ${idOf(kind, 'w')}, secrets, 0, ${sql.lit(pausedUntil)}
      from ${numbers} cross join webhook_destinations where webhook_id = ${webhookId}`.execute(transaction);
  });
}

/** The gateway's own statements have a deadline. */
async function takeTime(kind: DatabaseKind, database: Pick<Database, 'getExecutor'>, isLocal = false): Promise<void> {
  if (kind === 'postgres')
    await sql`set ${sql.raw(isLocal ? 'local' : 'session')} statement_timeout = 0`.execute(database);
}

/** Tells Postgres how much there is, as it would find out by itself a minute later. */
export async function analyze({ kind, database }: Pick<Filling, 'kind' | 'database'>): Promise<void> {
  if (kind === 'sqlite') return;
  await database.connection().execute(async (connection) => {
    await takeTime(kind, connection);
    await sql`vacuum analyze`.execute(connection);
    await sql`reset statement_timeout`.execute(connection);
  });
}

interface DeliveryFilling {
  readonly state: string;
  readonly nextAt: number;
  /** Whose deliveries they are: the concerned webhook's, or one of each other's. */
  readonly webhookId: 'own' | 'other';
}

const insertDeliveries = (filling: Filling, count: number, of: DeliveryFilling) =>
  inParts(filling, count, (part, size) => insertSomeDeliveries(part, size, of));

async function insertSomeDeliveries(
  filling: Filling,
  count: number,
  { state, nextAt, webhookId: whose }: DeliveryFilling,
) {
  const { database, kind, workspaceId, accountId, webhookId, now } = filling;
  const numbers = series(filling, count);
  const receiver = whose === 'own' ? sql`${webhookId}` : idOf(kind, 'w');
  const account = whose === 'own' ? sql`${accountId}` : idOf(kind, 'a');
  const createdAt = sql`${sql.lit(now - 3_600_000)} + series.n`;
  await database.transaction().execute(async (transaction) => {
    await takeTime(kind, transaction, true);
    // A million foreign keys need not be checked.
    if (kind === 'postgres') await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`
      insert into events (id, workspace_id, account_id, account_type, source, event, data, fingerprint, created_at)
      select ${idOf(kind, 'e')}, ${workspaceId}, ${account}, 'PNET', 'users', 'new_relation', '{"user_full_name":"n"}', '', ${createdAt}
      from ${numbers}`.execute(transaction);
    await sql`
      insert into deliveries (id, workspace_id, webhook_id, event_id, account_id, event, state, attempts, attempts_before, next_at, created_at)
      select ${idOf(kind, 'd')}, ${workspaceId}, ${receiver}, ${idOf(kind, 'e')}, ${account}, 'new_relation', ${sql.lit(state)}, 1, 0, ${sql.lit(nextAt)}, ${createdAt}
      from ${numbers}`.execute(transaction);
  });
}
