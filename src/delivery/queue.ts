/**
 * The durable queue: claims of what is due, with leases. All statements that claim are here; what comes of a claim is
 * stored in settle.ts, in the same transaction, so that a busy worker needs one commit for many deliveries.
 *
 * A claim moves `next_at` to the end of its lease and leaves a token. A worker that dies leaves its deliveries to be due
 * then, and one that comes back too late has a token that fits nothing any more.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { newId, type RandomBytes } from '../accounts/ids.ts';
import type { Database } from '../store/database.ts';
import { rowsTable } from '../store/rows.ts';
import type { EventTable, Tables, WebhookTable } from '../store/schema.ts';
import type { Vault } from '../vault.ts';
import { openHeaders } from '../webhooks/rows.ts';
import type { WebhookFormat } from '../webhooks/shapes.ts';
import type { WebhookSource } from '../webhooks/sources.ts';
import { ensureEndpoints, openSecrets } from './endpoints.ts';
import type { DeliveryEvent } from './event.ts';
import type { PayloadTarget } from './payload.ts';
import { type Outcome, type Release, release, type SettleContext, settle } from './settle.ts';
import type { SigningSecret } from './signature.ts';

/** Where a delivery goes, and how. Deliveries of one claim to the same webhook share it. */
export interface Target extends PayloadTarget {
  readonly webhookId: string;
  readonly url: URL;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly secrets: readonly SigningSecret[];
  readonly failing: boolean;
}

/** A delivery that this process has claimed. */
export interface Job {
  readonly deliveryId: string;
  readonly claim: string;
  readonly target: Target;
  readonly event: DeliveryEvent;
  /** The number of the attempt to be made, from 1, over all. */
  readonly number: number;
  /** Its place in the retry table, from 1. */
  readonly attempt: number;
}

export interface Turn {
  readonly outcomes: readonly Outcome[];
  /** Claims that are given back unused. */
  readonly releases: readonly Release[];
  /** How many deliveries of each endpoint to claim; asked with the endpoints that have some due, in no order. */
  readonly share: (due: readonly string[]) => readonly (readonly [webhookId: string, count: number])[];
}

export interface Queue {
  /** Stores what came of claims and claims anew, in one transaction. */
  turn(turn: Turn): Promise<Job[]>;
}

export interface QueueContext extends SettleContext {
  readonly database: Database;
  readonly vault: Vault;
  readonly randomBytes: RandomBytes;
  readonly leaseMs: number;
}

const latestFirstEvery = 4;

export function createQueue(context: QueueContext): Queue {
  const { database, signals } = context;
  // New deliveries are due at 0 and retries at a time: what is due last comes first now and then, so that retries need not
  // wait until nothing new comes in.
  let turns = 0;
  return {
    async turn({ outcomes, releases, share }) {
      turns += 1;
      const latestFirst = turns % latestFirstEvery === 0;
      const { settled, jobs } = await database.transaction().execute(async (transaction) => {
        const done = await settle(transaction, context, outcomes);
        await release(transaction, context, releases);
        return { settled: done, jobs: await claim(transaction, context, share, latestFirst) };
      });
      if (settled.length > 0) signals.updated(settled);
      return jobs;
    },
  };
}

interface Claimed {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly attempts: number;
  readonly attempts_before: number;
}

async function claim(
  transaction: Transaction<Tables>,
  context: QueueContext,
  share: Turn['share'],
  latestFirst: boolean,
): Promise<Job[]> {
  const { kind, now, randomBytes, leaseMs } = context;
  const time = now().getTime();
  const due = await dueEndpoints(transaction, time);
  const token = newId(randomBytes);
  const claimed: Claimed[] = [];
  for (const [webhookId, count] of share(due)) {
    const chosen = transaction
      .selectFrom('deliveries')
      .select('id')
      .where('webhook_id', '=', webhookId)
      .where(isPending)
      .where('next_at', '<=', time)
      .orderBy('next_at', latestFirst ? 'desc' : 'asc')
      .limit(count)
      .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked());
    const rows = await transaction
      .updateTable('deliveries')
      .set({ claim: token, next_at: time + leaseMs })
      .where('id', 'in', chosen)
      .returning(['id', 'webhook_id', 'event_id', 'attempts', 'attempts_before'])
      .execute();
    claimed.push(...rows);
  }
  return claimed.length === 0 ? [] : toJobs(transaction, context, token, claimed);
}

/** A literal, for the planners to see that the partial index serves. */
const isPending = sql<boolean>`state = 'pending'`;

/**
 * The endpoints that something is due for: enabled and not paused. The index is entered once for each endpoint, and not
 * read through: the backlog of one that hangs costs the others nothing.
 */
async function dueEndpoints(transaction: Kysely<Tables>, now: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive waiting(webhook_id) as (
      select min(webhook_id) from deliveries where state = 'pending'
      union all
      select (select min(d.webhook_id) from deliveries d where d.state = 'pending' and d.webhook_id > waiting.webhook_id)
      from waiting where waiting.webhook_id is not null
    )
    select webhooks.id as id
    from waiting
    join webhooks on webhooks.id = waiting.webhook_id
    left join endpoints on endpoints.webhook_id = webhooks.id
    where webhooks.enabled = 1 and coalesce(endpoints.paused_until, 0) <= ${now}
      and exists (
        select 1 from deliveries d
        where d.webhook_id = webhooks.id and d.state = 'pending' and d.next_at <= ${now}
      )`.execute(transaction);
  return rows.map(({ id }) => id);
}

async function toJobs(
  transaction: Kysely<Tables>,
  context: QueueContext,
  token: string,
  claimed: readonly Claimed[],
): Promise<Job[]> {
  const { kind } = context;
  const wanted = rowsTable(
    kind,
    'wanted',
    { id: 'text' },
    [...new Set(claimed.map((row) => row.event_id))].map((id) => ({ id })),
  );
  const { rows } = await sql<EventTable>`
    select events.* from ${wanted} join events on events.id = wanted.id`.execute(transaction);
  const events = new Map(rows.map((row) => [row.id, toEvent(row)]));
  const targets = await readTargets(transaction, context, [...new Set(claimed.map((row) => row.webhook_id))]);
  return claimed.flatMap((row) => {
    const event = events.get(row.event_id);
    const target = targets.get(row.webhook_id);
    // Both are referred to by the delivery, and go with it: what is missing here was deleted a moment ago.
    if (event === undefined || target === undefined) return [];
    return {
      deliveryId: row.id,
      claim: token,
      target,
      event,
      number: row.attempts + 1,
      attempt: row.attempts - row.attempts_before + 1,
    };
  });
}

const toEvent = (row: EventTable): DeliveryEvent => ({
  id: row.id,
  workspaceId: row.workspace_id,
  accountId: row.account_id,
  accountType: row.account_type,
  source: row.source as WebhookSource | null,
  event: row.event,
  data: JSON.parse(row.data),
});

async function readTargets(
  transaction: Kysely<Tables>,
  context: QueueContext,
  webhookIds: readonly string[],
): Promise<Map<string, Target>> {
  const endpoints = await ensureEndpoints(transaction, context, webhookIds);
  const rows = await transaction.selectFrom('webhooks').selectAll().where('id', 'in', webhookIds).execute();
  return new Map(
    rows.flatMap((row: WebhookTable): [string, Target][] => {
      const endpoint = endpoints.get(row.id);
      if (endpoint === undefined) return [];
      const target: Target = {
        webhookId: row.id,
        name: row.name,
        format: row.format as WebhookFormat,
        data: JSON.parse(row.data),
        url: new URL(row.request_url),
        headers: openHeaders(context.vault, row),
        secrets: openSecrets(context.vault, endpoint),
        failing: endpoint.failing_since !== null,
      };
      return [[row.id, target]];
    }),
  );
}
