/** Queries of filtered webhooks: for a page, and for their number. */
import { type ExpressionBuilder, sql } from 'kysely';
import { type Caller, type Reach, requireAccount } from '../../kernel/caller.ts';
import { contains, nameContains } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { byCreation, isAmongFirst, keysetBy, keysetsOf, listOf } from '../../store/keyset.ts';
import { byDialect } from '../../store/query-compilers.ts';
import type { Tables } from '../../store/schema.ts';
import { isFilter, type WebhookFilter, type WebhookSearch } from './filter.ts';
import { storedWebhooks, visibleWebhooks } from './repository.ts';
import { defaultWebhookOrder, type WebhookOrder } from './shapes.ts';

interface ListContext {
  readonly database: Database;
}

export const webhookKeyset = keysetsOf<WebhookOrder, 'created_at' | 'name_key' | 'id'>(defaultWebhookOrder, {
  created_at_asc: byCreation('webhooks', 'asc'),
  created_at_desc: byCreation('webhooks', 'desc'),
  name_asc: keysetBy('webhooks', 'name_key', 'asc'),
  name_desc: keysetBy('webhooks', 'name_key', 'desc'),
});

type ListFilter = WebhookFilter & Pick<WebhookSearch, 'order_by'>;

/** The states of health whose ranges of an index have the list; none if each webhook is looked at for its state. */
const rangesOf = ({ accountIds }: Reach, filter: ListFilter) =>
  accountIds !== null || webhookKeyset(filter).columns[0] !== 'created_at' ? [] : [...new Set(filter.health_states)];

/** In the order of {@link webhookKeyset}. @throws ServiceError `account_mismatch` for an account beyond the key */
export function listedWebhooks(context: ListContext, reach: Reach, filter: ListFilter) {
  const keyset = webhookKeyset(filter);
  const fitting = fittingWebhooks(context, reach, filter);
  const states = rangesOf(reach, filter);
  return (after: readonly (string | number)[] | null, count: number) => {
    if (states.length === 0) return fitting.select(sortedName);
    // With the workspace beside the ids, SQLite would look at each of its webhooks.
    const ofStates = states.map((state) =>
      fitting.where('health', '=', state).clearSelect().select(['id', 'created_at']),
    );
    return storedWebhooks(context.database)
      .where(isAmongFirst(ofStates, keyset, after, count))
      .select(sortedName);
  };
}

/** {@link listedWebhooks} by pages. */
export function webhookList(context: ListContext, caller: Caller, filter: ListFilter) {
  const states = rangesOf(caller, filter);
  const isByIndex = !isFilter(filter) && (filter.health_states === undefined || states.length > 0);
  return listOf(caller, isByIndex ? `webhooks ${states}` : null, {}, (reach) => listedWebhooks(context, reach, filter));
}

/** Every webhook has one. */
const sortedName = sql.ref<string>('webhooks.name_key').as('name_key');

/** {@link visibleWebhooks} that fit. @throws ServiceError `account_mismatch` for an account beyond the key */
export function fittingWebhooks(
  context: ListContext,
  caller: Reach,
  { sources = [], events = [], is_enabled, health_states: states = [], query: text, account_id }: WebhookFilter,
) {
  let query = visibleWebhooks(context, caller);
  if (sources.length > 0) query = query.where('source', 'in', sources);
  if (is_enabled !== undefined) query = query.where('enabled', '=', is_enabled ? 1 : 0);
  if (states.length > 0) query = query.where('health', 'in', states).where(isManagedBy(caller));
  if (text !== undefined) query = query.where(hasText(caller, text));
  if (events.length === 0 && account_id === undefined) return query;
  if (account_id !== undefined) requireAccount(caller, account_id);
  return query.where('id', 'in', (listeners) =>
    listeners
      .selectFrom('webhook_listeners as fitting')
      .select('fitting.webhook_id')
      .where('fitting.workspace_id', '=', caller.workspaceId)
      .where('fitting.event', 'in', events.length === 0 ? [''] : events)
      .$if(account_id !== undefined, (those) => those.where('fitting.account_id', 'in', [account_id ?? '', ''])),
  );
}

/** In lower case as kernel/lib/name-key.ts makes it. */
const urlKey = byDialect({
  sqlite: () => sql`lower(webhooks.request_url)`,
  postgres: () => sql`lower(webhooks.request_url collate "C")`,
});

/** In the name, or in the URL if the key may see all of it. */
const hasText = (caller: Reach, text: string) => (builder: ExpressionBuilder<Tables, 'webhooks'>) =>
  builder.or([nameContains('webhooks', text), builder.and([contains(urlKey, text), isManagedBy(caller)(builder)])]);

/** For a key without accounts, as SQL has no empty list. Here the empty text stands for all accounts. */
const noAccount = 'none';

/** `accessTo` (caller.ts) as a condition: the health of others is not the key's to know. */
const isManagedBy =
  ({ accountIds }: Reach) =>
  ({ lit, not, exists, selectFrom }: ExpressionBuilder<Tables, 'webhooks'>) =>
    accountIds === null
      ? lit(true)
      : not(
          exists(
            selectFrom('webhook_listeners as other')
              .select('other.webhook_id')
              .whereRef('other.webhook_id', '=', 'webhooks.id')
              .where('other.event', '=', '')
              .where('other.account_id', 'not in', [...accountIds, noAccount]),
          ),
        );
