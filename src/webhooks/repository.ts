/** Webhooks as they are stored, and as they are read. */

import { requireAccount, requireNamedAccounts } from '../auth/account-access.ts';
import { findAccounts } from '../auth/account-repository.ts';
import type { Caller } from '../auth/caller.ts';
import { ServiceError } from '../errors.ts';
import { checkId, newId, type RandomBytes } from '../ids.ts';
import { shortList } from '../issues.ts';
import { type AddressRule, isRefusedTarget } from '../security/addresses.ts';
import type { Vault } from '../security/vault.ts';
import type { Database } from '../store/database.ts';
import type { WebhookTable } from '../store/schema.ts';
import { hiddenValue } from './headers.ts';
import type { Webhook, WebhookCreate } from './shapes.ts';

type Headers = Webhook['headers'];

const headersPlace = (webhookId: string): string => `webhook-headers:${webhookId}`;

/** Headers as they are stored: sealed, as their values may be credentials. That there are none is no secret. */
export const sealHeaders = (vault: Vault, webhookId: string, headers: readonly Headers[number][]): string =>
  headers.length === 0 ? '[]' : vault.seal(headersPlace(webhookId), JSON.stringify(headers));

export const openHeaders = (vault: Vault, { id, headers }: Pick<WebhookTable, 'id' | 'headers'>): Headers =>
  headers === '[]' ? [] : JSON.parse(vault.open(headersPlace(id), headers));

/** Every account must be well formed, connected in the workspace, and among those of the key. */
export async function requireAccounts(
  database: Database,
  caller: Caller,
  accountIds: readonly string[],
): Promise<void> {
  requireNamedAccounts(caller, accountIds);
  if (accountIds.length === 0) return;
  for (const id of accountIds) checkId(id, 'account');
  const rows = await findAccounts(database, caller.workspaceId, accountIds);
  const known = new Set(rows.map((row) => row.id));
  const unknown = accountIds.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new ServiceError('resource_not_found', { detail: `No connected account has the id ${shortList(unknown)}.` });
  }
  for (const id of accountIds) requireAccount(caller, id);
}

/**
 * Rows in the contract's read form; their accounts are read with one query for all. The values of headers are shown to
 * keys with `webhooks:write` only.
 */
export async function toWebhooks(
  { database, vault }: { readonly database: Database; readonly vault: Vault },
  caller: Caller,
  rows: readonly WebhookTable[],
): Promise<Webhook[]> {
  const shown = caller.scopes.has('webhooks:write');
  const accountIds = [...new Set(rows.flatMap((row): string[] => JSON.parse(row.account_ids)))];
  const accounts = await findAccounts(database, caller.workspaceId, accountIds);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return rows.map((row) => {
    const listened = (JSON.parse(row.account_ids) as string[]).flatMap((id) => byId.get(id) ?? []);
    const common = {
      object: 'Webhook' as const,
      id: row.id,
      ...(row.name === null ? {} : { name: row.name }),
      enabled: row.enabled === 1,
      request_url: row.request_url,
      format: row.format as Webhook['format'],
      account_ids: listened.map(({ id, name, type }) => ({
        id,
        ...(name === null ? {} : { name }),
        type,
      })),
      headers: openHeaders(vault, row).map(({ key, value }) => ({ key, value: shown ? value : hiddenValue })),
      data: JSON.parse(row.data),
      events: JSON.parse(row.events),
    };
    return row.trigger === null
      ? { ...common, type: 'AUTO' as const }
      : { ...common, type: 'TRIGGER' as const, trigger: JSON.parse(row.trigger) };
  });
}

/** What webhooks are stored with. */
export interface RegistryContext {
  readonly database: Database;
  readonly vault: Vault;
  /** The addresses that deliveries may go to. */
  readonly allows: AddressRule;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
}

/** What AUTO and TRIGGER webhooks are both made of. */
type CommonRequest = Pick<WebhookCreate, 'request_url' | 'name' | 'format' | 'enabled' | 'account_ids' | 'headers'>;

/** Checks the address and the accounts of a new webhook, and stores it. @returns its id */
export async function insertWebhook(
  { database, vault, allows, now, randomBytes }: RegistryContext,
  caller: Caller,
  request: CommonRequest,
  kind: Pick<WebhookTable, 'type' | 'source' | 'data' | 'events' | 'trigger'>,
): Promise<string> {
  requireTarget(allows, request.request_url);
  const accountIds = [...new Set(request.account_ids)];
  await requireAccounts(database, caller, accountIds);
  const id = newId(randomBytes);
  await database
    .insertInto('webhooks')
    .values({
      ...kind,
      id,
      workspace_id: caller.workspaceId,
      name: request.name ?? null,
      enabled: (request.enabled ?? true) ? 1 : 0,
      request_url: request.request_url,
      format: request.format ?? 'json',
      account_ids: JSON.stringify(accountIds),
      headers: sealHeaders(vault, id, request.headers ?? []),
      created_at: now().getTime(),
    })
    .execute();
  return id;
}

/** Throws `errors/invalid_url` for a URL that deliveries can never go to. */
export function requireTarget(allows: AddressRule, requestUrl: string): void {
  if (!isRefusedTarget(new URL(requestUrl), allows)) return;
  throw new ServiceError('invalid_url', {
    detail: 'request_url must not lead to an address that is not public',
    issues: [{ path: ['request_url'], message: 'must not lead to an address that is not public' }],
  });
}

/** @throws ServiceError `invalid_resource_identifier`, or `resource_not_found` for one that the workspace does not have */
export async function requireWebhook(
  database: Pick<Database, 'selectFrom'>,
  caller: Caller,
  webhookId: string,
): Promise<WebhookTable> {
  checkId(webhookId, 'webhook');
  const webhook = await database
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .where('workspace_id', '=', caller.workspaceId)
    .executeTakeFirst();
  if (webhook === undefined) throw new ServiceError('resource_not_found', { detail: 'No webhook has this id.' });
  return webhook;
}
