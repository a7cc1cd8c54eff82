/** The SQL of matching, by an index of webhooks that listen to an account. */
import type { Kysely } from 'kysely';
import { accountIdsOf } from '../capabilities/webhooks/manageable.ts';
import { listensTo, match } from '../capabilities/webhooks/match.ts';
import type { DeliveryEvent } from '../events/event.ts';
import { readJsonColumn } from '../store/json.ts';
import type { Tables, WebhookTable } from '../store/schema.ts';
import { shortRead } from '../store/short-reads.ts';

/** An event, and its only receiver, if it has one. */
type Addressed = Pick<DeliveryEvent, 'workspaceId' | 'accountId' | 'source' | 'event'> & {
  readonly webhookId?: string | undefined;
};

/** Webhooks whose deliveries one statement stores; between two, other work goes on. */
const webhooksOfBatch = 500;

export interface Receiver {
  readonly webhookId: string;
  readonly enabled: boolean;
  /** Of the webhook as it was read. */
  readonly revision: number;
}

/**
 * The receivers of an event, in batches. One statement lists them: of several, each would see webhooks that moved between
 * "this account" and "all accounts" meanwhile twice, or not at all. On Postgres none is deleted before its delivery is
 * stored. Other changes go on beside it: claims hold what must not be sent.
 */
export async function* receiversOf(transaction: Kysely<Tables>, emission: Addressed): AsyncGenerator<Receiver[]> {
  if (emission.webhookId !== undefined) return yield addressee(transaction, emission, emission.webhookId);
  const { accountId } = emission;
  const rows = await listeners(transaction, emission, accountId === null ? [''] : ['', accountId])
    .forKeyShare('webhooks')
    .execute();
  for (let at = 0; at < rows.length; at += webhooksOfBatch) {
    yield rows.slice(at, at + webhooksOfBatch).flatMap((row) => toReceiver(emission, row));
  }
}

/** The receivers as they are now, which nothing locks: null if they are too many for one statement. */
export async function readReceivers(database: Kysely<Tables>, emission: Addressed): Promise<Receiver[] | null> {
  const { workspaceId, accountId, event, webhookId } = emission;
  if (webhookId !== undefined) return null;
  const rows = await shortRead(database, {
    name: `receivers ${accountId === null ? 'of a workspace' : 'of an account'}`,
    bound: { workspaceId, event, ...(accountId === null ? {} : { accountId }) },
    build: (bound) =>
      listeners(database, bound, ['', ...(bound.accountId === undefined ? [] : [bound.accountId])]).limit(
        webhooksOfBatch + 1,
      ),
  });
  return rows.length > webhooksOfBatch ? null : rows.flatMap((row) => toReceiver(emission, row));
}

/** @param accountIds the empty one stands for the whole workspace */
const listeners = (
  transaction: Kysely<Tables>,
  { workspaceId, event }: Pick<Addressed, 'workspaceId' | 'event'>,
  accountIds: readonly string[],
) =>
  transaction
    .selectFrom('webhook_listeners as listener')
    .innerJoin('webhooks', 'webhooks.id', 'listener.webhook_id')
    .where('listener.workspace_id', '=', workspaceId)
    .where('listener.event', '=', event)
    .where('listener.account_id', 'in', accountIds)
    .select(['webhooks.id', 'webhooks.workspace_id', 'source', 'enabled', 'events', 'account_ids', 'revision']);

/** @returns nothing if the webhook changed before its lock, and no longer receives the event */
function toReceiver(
  emission: Addressed,
  row: Pick<WebhookTable, 'id' | 'workspace_id' | 'source' | 'enabled' | 'events' | 'account_ids' | 'revision'>,
): Receiver[] {
  const matched = match(emission, {
    workspaceId: row.workspace_id,
    source: row.source,
    enabled: row.enabled === 1,
    events: readJsonColumn(row.events),
    accountIds: accountIdsOf(row),
  });
  return matched === null ? [] : [{ webhookId: row.id, enabled: matched === 'deliver', revision: row.revision ?? 0 }];
}

/** An event's only receiver, whatever its subscriptions; none if it no longer listens to the event's account. */
async function addressee(
  transaction: Kysely<Tables>,
  { workspaceId, accountId, source }: Addressed,
  webhookId: string,
): Promise<Receiver[]> {
  const rows = await transaction
    .selectFrom('webhooks')
    .select(['enabled', 'account_ids', 'revision'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', webhookId)
    .forKeyShare()
    .execute();
  // A test event says nothing of the workspace: without an account, its webhook's were disconnected.
  const isSample = source !== null && accountId === null;
  return rows
    .filter((row) => isSample || listensTo(accountIdsOf(row), accountId))
    .map(({ enabled, revision = 0 }) => ({ webhookId, enabled: enabled === 1, revision }));
}
