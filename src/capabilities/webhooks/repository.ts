import { sql, type Transaction } from 'kysely';
import { findStoredAccounts } from '../../auth/account-repository.ts';
import type { AccountRule } from '../../auth/account-rule.ts';
import { accessTo, type Caller, type Reach, requireAccount, requireNamedAccounts } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { withIssues } from '../../kernel/issues.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { Vault } from '../../kernel/secrets/vault.ts';
import { isBlockedPort } from '../../net/addresses.ts';
import { isInWorkspace } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { readJsonColumn } from '../../store/json.ts';
import { storeWithRows } from '../../store/key-response.ts';
import { columnBytes, readLarge } from '../../store/large-rows.ts';
import { lockWorkspace } from '../../store/locks.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import type { Tables, WebhookTable } from '../../store/schema.ts';
import { inTransaction } from '../../store/transaction.ts';
import { newDestination, type SecretContext } from './destinations.ts';
import { accountIdsOf } from './manageable.ts';
import type { ListedWebhook, Webhook, WebhookCreate, WebhookCreated, WebhookTrigger } from './shapes.ts';
import { shownTo } from './visibility.ts';

type Headers = Webhook['headers'];

const headersPlace = (webhookId: string): string => `webhook-headers:${webhookId}`;

/** Sealed, as values may be credentials; an empty list is no secret. */
export const sealHeaders = (vault: Vault, webhookId: string, headers: readonly Headers[number][]): string =>
  headers.length === 0 ? '[]' : vault.seal(headersPlace(webhookId), JSON.stringify(headers));

/** Null if sealed with the current SECRET already. @throws Error as {@link openHeaders} */
export const resealHeaders = (vault: Vault, { id, headers }: Pick<WebhookTable, 'id' | 'headers'>): string | null =>
  headers === '[]' ? null : vault.reseal(headersPlace(id), headers);

/** @throws Error for headers that were changed, or sealed with another SECRET */
export const openHeaders = (vault: Vault, { id, headers }: Pick<WebhookTable, 'id' | 'headers'>): Headers =>
  headers === '[]' ? [] : readJsonColumn(vault.open(headersPlace(id), headers));

/** @throws ServiceError `account_mismatch`, `invalid_resource_identifier` or `resource_not_found` */
export async function requireAccounts(
  { database, accountRule }: Pick<RegistryContext, 'database' | 'accountRule'>,
  caller: Caller,
  accountIds: readonly string[],
): Promise<void> {
  requireNamedAccounts(caller, accountIds);
  if (accountIds.length === 0) return;
  for (const id of accountIds) accountRule.check(id);
  const rows = await findStoredAccounts(database, caller.workspaceId, accountIds);
  const known = new Set(rows.map((row) => row.id));
  const unknown = accountIds.filter((id) => !known.has(id));
  if (unknown.length > 0) await accountRule.admit(caller, unknown);
  for (const id of accountIds) requireAccount(caller, id);
}

/** Without large columns, but with the accounts, which say who may see it. */
type ListedRow = Omit<WebhookTable, 'headers' | 'data'>;

/** As the caller may see them, without large parts. */
export const toListed = (caller: Caller, rows: readonly ListedRow[]): ListedWebhook[] =>
  rows.flatMap((row) => {
    const accountIds = accountIdsOf(row);
    // What a manager does not see is in large parts.
    if (accessTo(caller, accountIds) === 'manage') return readForm(row);
    const webhook = shownTo(caller, { ...readForm(row), account_ids: [], headers: [], data: [] }, accountIds);
    if (webhook === null) return [];
    const { account_ids, headers, data, ...listed } = webhook;
    return [listed];
  });

/** As the caller may see them; one query reads all accounts. */
async function toWebhooks(
  { database, vault }: { readonly database: Database; readonly vault: Vault },
  caller: Caller,
  rows: readonly WebhookTable[],
): Promise<Webhook[]> {
  const accountIds = [...new Set(rows.flatMap((row) => accountIdsOf(row)))];
  const accounts = await findStoredAccounts(database, caller.workspaceId, accountIds);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return rows.flatMap((row) => {
    const listened = accountIdsOf(row).flatMap((id) => byId.get(id) ?? []);
    const webhook: Webhook = {
      ...readForm(row),
      account_ids: listened.map(({ id, name, type }) => ({ id, ...(name === null ? {} : { name }), type })),
      headers: openHeaders(vault, row),
      data: readJsonColumn<Webhook['data']>(row.data),
    };
    // The row decides, not the accounts found: a disconnected one is still not the key's.
    return shownTo(caller, webhook, accountIdsOf(row)) ?? [];
  });
}

/** Without large parts. */
function readForm(row: ListedRow): ListedWebhook {
  const common = {
    object: 'Webhook',
    id: row.id,
    name: row.name ?? undefined,
    enabled: row.enabled === 1,
    request_url: row.request_url,
    format: row.format as Webhook['format'],
    events: readJsonColumn<Webhook['events']>(row.events),
  } as const;
  return row.trigger === null
    ? { ...common, type: 'AUTO' }
    : { ...common, type: 'TRIGGER', trigger: readJsonColumn<WebhookTrigger>(row.trigger) };
}

const listedColumns = [
  ...(['id', 'workspace_id', 'type', 'source', 'name', 'enabled', 'request_url'] as const),
  ...(['format', 'account_ids', 'events', 'trigger', 'created_at'] as const),
] as const satisfies readonly (keyof ListedRow)[];

interface ReadingContext {
  readonly database: Database;
  readonly vault: Vault;
  readonly budget: ReadBudget;
}

/** Columns beyond {@link listedColumns}, and accounts, which are shown with more than their ids. */
const largeBytes = columnBytes('headers', 'data', 'account_ids');

/** @returns as the ids, null for each that the caller may not see */
export const readWholeWebhooks = (
  context: ReadingContext,
  request: RequestContext,
  webhookIds: readonly string[],
): Promise<(Webhook | null)[]> =>
  readLarge(context.budget, request, webhookIds, {
    sizes: (ids) =>
      webhooksById(context, request.caller, ids)
        .clearSelect()
        .select(['id', largeBytes.as('bytes')])
        .execute(),
    read: readWhole(context, request),
  });

/** Up to so many bytes, large columns are read with the row: another statement for them takes longer. */
const maxSmallBytes = 2_048;

const ifSmall = <Column extends 'headers' | 'data'>(column: Column) =>
  sql<string | null>`case when ${largeBytes} <= ${sql.lit(maxSmallBytes)} then ${sql.ref(column)} end`.as(column);

/** Columns: the size of the large ones, and those that are small. */
export const smallParts = [largeBytes.as('bytes'), ifSmall('headers'), ifSmall('data')] as const;

interface SmallParts {
  readonly headers: string | null;
  readonly data: string | null;
}

/** As the caller may see them, with large parts. @param listed rows with {@link smallParts} */
export const readWhole =
  (context: ReadingContext, { caller }: RequestContext, listed: readonly (ListedRow & SmallParts)[] = []) =>
  async (ids: readonly string[]) => {
    const small = new Map(listed.filter(isWhole).map((row) => [row.id, row]));
    const known = ids.flatMap((id) => small.get(id) ?? []);
    const others = ids.filter((id) => !small.has(id));
    const read =
      others.length === 0 ? [] : await webhooksById(context, caller, others).select(['headers', 'data']).execute();
    return (await toWebhooks(context, caller, [...known, ...read])).map((webhook) => [webhook.id, webhook] as const);
  };

const isWhole = (row: ListedRow & SmallParts): row is WebhookTable => row.headers !== null && row.data !== null;

/** Webhooks of every workspace. */
export const storedWebhooks = (database: Database) => database.selectFrom('webhooks').select(listedColumns);

/** As {@link visibleWebhooks}. */
export function webhooksById(
  { database }: { readonly database: Database },
  { workspaceId, accountIds }: Reach,
  webhookIds: readonly string[],
) {
  const webhooks = storedWebhooks(database).where('id', 'in', webhookIds);
  if (accountIds === null) return webhooks.where(isInWorkspace('webhooks', workspaceId));
  return webhooks.where(({ exists, ref }) =>
    exists(listenersFor(database, workspaceId, accountIds).where('listener.webhook_id', '=', ref('webhooks.id'))),
  );
}

/** Without large columns: webhooks that listen to an account of the key. {@link shownTo} decides what is shown. */
export function visibleWebhooks({ database }: { readonly database: Database }, { workspaceId, accountIds }: Reach) {
  const webhooks = storedWebhooks(database);
  if (accountIds === null) return webhooks.where('workspace_id', '=', workspaceId);
  // Without the workspace, as SQLite would look at each of its webhooks.
  return webhooks.where('id', 'in', listenersFor(database, workspaceId, accountIds));
}

const listenersFor = (database: Database, workspaceId: string, accountIds: ReadonlySet<string>) =>
  database
    .selectFrom('webhook_listeners as listener')
    .select('listener.webhook_id')
    .where('listener.workspace_id', '=', workspaceId)
    .where('listener.event', '=', '')
    // Those of all accounts, too.
    .where('listener.account_id', 'in', [...accountIds, '']);

export interface RegistryContext extends SecretContext {
  readonly database: Database;
  /** Whether deliveries could never go there. */
  readonly isRefused: (url: URL) => boolean;
  readonly accountRule: AccountRule;
  readonly now: () => Date;
  /** Per workspace; 0 for any number. */
  readonly maxWebhooks: number;
}

type CommonRequest = Pick<WebhookCreate, 'request_url' | 'name' | 'format' | 'enabled' | 'account_ids' | 'headers'>;

/** @throws ServiceError `invalid_url`, as {@link requireAccounts}, `action_required` for a full workspace */
export async function createWebhook(
  context: RegistryContext,
  { caller, atomicKey }: RequestContext,
  request: CommonRequest,
  kind: Pick<WebhookTable, 'type' | 'source' | 'data' | 'events' | 'trigger'>,
): Promise<WebhookCreated> {
  const { database, vault, isRefused, now, randomBytes } = context;
  requireTarget(isRefused, request.request_url);
  const accountIds = [...new Set(request.account_ids)];
  await requireAccounts(context, caller, accountIds);
  const id = newId(randomBytes);
  const created: WebhookCreated = { object: 'WebhookCreated', webhook_id: id };
  const row: WebhookTable = {
    ...kind,
    id,
    workspace_id: caller.workspaceId,
    name: request.name || null,
    enabled: (request.enabled ?? true) ? 1 : 0,
    request_url: request.request_url,
    format: request.format ?? 'json',
    account_ids: JSON.stringify(accountIds),
    headers: sealHeaders(vault, id, request.headers ?? []),
    created_at: now().getTime(),
  };
  await inTransaction(database, async (transaction) => {
    await requireRoom(transaction, caller.workspaceId, context.maxWebhooks);
    await insertWebhook(transaction, context, row);
    await storeWithRows(transaction, atomicKey, created);
  });
  return created;
}

/** With its destination: no webhook is ever without a signing secret. */
export async function insertWebhook(
  transaction: Transaction<Tables>,
  context: SecretContext,
  row: WebhookTable,
): Promise<void> {
  await transaction.insertInto('webhooks').values(row).execute();
  await transaction.insertInto('webhook_destinations').values(newDestination(context, row.id)).execute();
}

/** Not 503, which clients repeat: somebody has to delete a webhook. Not 400: the request is right. */
async function requireRoom(transaction: Transaction<Tables>, workspaceId: string, max: number): Promise<void> {
  if (max === 0) return;
  // Two at once must not both find the last place.
  await lockWorkspace(transaction, workspaceId);
  const { count } = (await transaction
    .selectFrom('webhook_counts')
    .select(sql<number>`healthy + failing + disabled_by_gateway + disabled_by_caller`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()) ?? { count: 0 };
  if (count < max) return;
  throw new ServiceError('action_required', {
    detail: `The workspace already has ${count} webhooks, which is the limit: delete one first.`,
  });
}

/** @throws ServiceError `invalid_url` for a URL that deliveries can never go to */
export function requireTarget(isRefused: RegistryContext['isRefused'], requestUrl: string): void {
  const url = new URL(requestUrl);
  if (isRefused(url)) throw invalidTarget(`must not lead to ${url.hostname}, which is not public`);
  if (isBlockedPort(url.port)) throw invalidTarget(`must not have the port ${url.port}, which is another protocol's`);
}

const invalidTarget = (message: string): ServiceError =>
  withIssues('invalid_url', [{ path: ['request_url'], code: 'not_allowed', message }]);
