/** Deliveries and their attempts, as callers read and watch them. */

import { accessTo } from '../auth/account-access.ts';
import { amongAccounts } from '../auth/among-accounts.ts';
import { ServiceError } from '../errors.ts';
import { isId } from '../ids.ts';
import type { CursorCodec } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import type { Database } from '../store/database.ts';
import { findByIds } from '../store/find-by-ids.ts';
import { readJsonColumn } from '../store/json.ts';
import { byCreation, mergedIds, selectPage } from '../store/keyset.ts';
import type { DeliveryTable } from '../store/schema.ts';
import { hiddenValue } from '../webhooks/headers.ts';
import { accountIdsOf } from '../webhooks/manageable.ts';
import type { DeliveriesPort } from './port.ts';
import { type Delivery, type DeliveryAttempt, type DeliveryState, deliveryLimits, deliveryStates } from './shapes.ts';
import { visibleDeliveries } from './visibility.ts';

export interface QueriesContext {
  readonly database: Database;
  readonly cursors: CursorCodec;
  readonly now: () => Date;
}

const iso = (time: number) => new Date(time).toISOString();
const isoOrNull = (time: number | null) => (time === null ? null : iso(time));

export function deliveryQueries({
  database,
  cursors,
  now,
}: QueriesContext): Pick<DeliveriesPort, 'list' | 'find' | 'attempts'> {
  const find = async ({ caller }: RequestContext, deliveryIds: readonly string[]) => {
    const rows = await findByIds(deliveryIds, isId, (ids) =>
      visibleDeliveries(database, caller).where('deliveries.id', 'in', ids).execute(),
    );
    return rows.map((row) => row && toDelivery(row, now()));
  };
  return {
    find,

    async list({ caller }, { webhook_id, state: states = [], limit = deliveryLimits.limit.default, cursor }) {
      const scope = ['deliveries', caller.keyId, webhook_id, [...states].sort().join()];
      const keyset = byCreation('deliveries', 'desc');
      const page = await selectPage(
        (after, count) => {
          const ofStates = [...new Set(states.length === 0 ? deliveryStates : states)].map((state) =>
            database
              .selectFrom('deliveries')
              .select(['id', 'created_at'])
              .where('webhook_id', '=', webhook_id)
              .where('state', '=', state)
              .where('workspace_id', '=', caller.workspaceId)
              .where(amongAccounts(caller.accountIds, 'account_id')),
          );
          const ids = mergedIds(ofStates, keyset, after, count);
          return visibleDeliveries(database, caller).where('deliveries.id', 'in', ids);
        },
        keyset,
        { cursors, scope, cursor, limit },
      );
      return { ...page, items: page.items.map((row) => toDelivery(row, now())) };
    },

    async attempts({ caller }, { delivery_id, limit = deliveryLimits.limit.default, cursor }) {
      const [delivery] = await findByIds([delivery_id], isId, (ids) =>
        visibleDeliveries(database, caller).select('webhooks.account_ids').where('deliveries.id', 'in', ids).execute(),
      );
      if (delivery == null) {
        throw new ServiceError('resource_not_found', { detail: 'No delivery has this id.' });
      }
      // What an endpoint responds is its owner's, and may repeat the headers that it was sent, whose values take the
      // scope `webhooks:write` as well.
      const managed = caller.scopes.has('webhooks:write') && accessTo(caller, accountIdsOf(delivery)) === 'manage';
      const scope = ['delivery attempts', caller.keyId, delivery_id];
      // Attempts are in the order of their numbers, whatever the clock was.
      const page = await selectPage(
        database.selectFrom('delivery_attempts').selectAll().where('delivery_id', '=', delivery_id),
        { table: 'delivery_attempts', columns: ['number'], order: 'asc' },
        { cursors, scope, cursor, limit },
      );
      return {
        ...page,
        items: page.items.map(
          ({ number, started_at, duration_ms, status, failure, response_body }): DeliveryAttempt => ({
            number,
            started_at: iso(started_at),
            duration_ms,
            status,
            failure,
            response_body: managed ? response_body : hiddenValue,
          }),
        ),
      };
    },
  };
}

export function toDelivery(row: DeliveryTable & { data: string }, now: Date): Delivery {
  const isScheduled = row.state === 'pending' && row.claim_token === null && row.next_at > now.getTime();
  return {
    object: 'Delivery',
    delivery_id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    account_id: row.account_id,
    event: row.event,
    data: readJsonColumn<Delivery['data']>(row.data),
    state: row.state as DeliveryState,
    attempt_count: row.attempts,
    next_attempt_at: isScheduled ? iso(row.next_at) : null,
    created_at: iso(row.created_at),
    finished_at: isoOrNull(row.finished_at),
  };
}
