/** The SQL of matching, by an index of webhooks that listen to an account. */
import type { Kysely } from 'kysely';
import { accountIdsOf } from '../capabilities/webhooks/manageable.ts';
import { listensTo, match } from '../capabilities/webhooks/match.ts';
import type { DeliveryEvent } from '../events/event.ts';
import { type DatabaseKind, readJsonColumn } from '../store/json.ts';
import type { Tables, WebhookTable } from '../store/schema.ts';

/** An event, and its only receiver, if it has one. */
type Addressed = Pick<DeliveryEvent, 'workspaceId' | 'accountId' | 'source' | 'event'> & {
  readonly webhookId?: string | undefined;
};

/** Webhooks of a batch, between which other work goes on. */
const webhooksOfBatch = 500;

interface Receiver {
  readonly webhookId: string;
  readonly enabled: boolean;
}

/**
 * The receivers of an event, in batches. On Postgres none is deleted before its delivery is stored. Other changes go on
 * beside it: claims hold what must not be sent.
 */
export async function* receiversOf(
  transaction: Kysely<Tables>,
  kind: DatabaseKind,
  emission: Addressed,
): AsyncGenerator<Receiver[]> {
  if (emission.webhookId !== undefined) return yield addressee(transaction, kind, emission, emission.webhookId);
  const read = (query: ReturnType<typeof listeners>) =>
    query
      .select(['webhooks.id', 'webhooks.workspace_id', 'source', 'enabled', 'events', 'account_ids'])
      .$if(kind === 'postgres', (locking) => locking.forKeyShare('webhooks'))
      .execute();
  const receivers = (rows: Awaited<ReturnType<typeof read>>) => rows.flatMap((row) => toReceiver(emission, row));
  const accountIds = emission.accountId === null ? [''] : ['', emission.accountId];
  const first = await read(listeners(transaction, emission, accountIds).limit(webhooksOfBatch));
  if (first.length < webhooksOfBatch) return yield receivers(first);
  // By account and id, each batch is a range of the index.
  for (const accountId of accountIds) {
    let last: string | undefined = '';
    while (last !== undefined) {
      const ofAccount = listeners(transaction, emission, [accountId]).where('listener.webhook_id', '>', last);
      const rows = await read(ofAccount.orderBy('listener.webhook_id').limit(webhooksOfBatch));
      yield receivers(rows);
      last = rows.length < webhooksOfBatch ? undefined : rows.at(-1)?.id;
    }
  }
}

/** The empty account stands for the whole workspace. */
const listeners = (transaction: Kysely<Tables>, { workspaceId, event }: Addressed, accountIds: readonly string[]) =>
  transaction
    .selectFrom('webhook_listeners as listener')
    .innerJoin('webhooks', 'webhooks.id', 'listener.webhook_id')
    .where('listener.workspace_id', '=', workspaceId)
    .where('listener.event', '=', event)
    .where('listener.account_id', 'in', accountIds);

/** @returns nothing if the webhook changed before its lock, and no longer receives the event */
function toReceiver(
  emission: Addressed,
  row: Pick<WebhookTable, 'id' | 'workspace_id' | 'source' | 'enabled' | 'events' | 'account_ids'>,
): Receiver[] {
  const matched = match(emission, {
    workspaceId: row.workspace_id,
    source: row.source,
    enabled: row.enabled === 1,
    events: readJsonColumn(row.events),
    accountIds: accountIdsOf(row),
  });
  return matched === null ? [] : [{ webhookId: row.id, enabled: matched === 'deliver' }];
}

/** An event's only receiver, whatever its subscriptions; none if it no longer listens to the event's account. */
async function addressee(
  transaction: Kysely<Tables>,
  kind: DatabaseKind,
  { workspaceId, accountId, source }: Addressed,
  webhookId: string,
): Promise<Receiver[]> {
  const rows = await transaction
    .selectFrom('webhooks')
    .select(['enabled', 'account_ids'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', webhookId)
    .$if(kind === 'postgres', (query) => query.forKeyShare())
    .execute();
  // A test event says nothing of the workspace: without an account, its webhook's were disconnected.
  const isSample = source !== null && accountId === null;
  return rows
    .filter((row) => isSample || listensTo(accountIdsOf(row), accountId))
    .map(({ enabled }) => ({ webhookId, enabled: enabled === 1 }));
}
