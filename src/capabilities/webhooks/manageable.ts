/**
 * The one door to a webhook named by a command: whatever changes it, uses its secrets or sends to it takes a {@link
 * ManageableWebhook}, which nothing reaches past the check.
 */
import { accessTo, type Caller, requireManaging } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { checkId } from '../../kernel/ids.ts';
import { isInWorkspace } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { readJsonColumn } from '../../store/json.ts';
import type { WebhookTable } from '../../store/schema.ts';

declare const manageable: unique symbol;

/** Made by {@link requireManageableWebhook} only. */
export type ManageableWebhook = WebhookTable & { readonly [manageable]: true };

/** Empty for all of the workspace. */
export const accountIdsOf = ({ account_ids }: Pick<WebhookTable, 'account_ids'>): string[] =>
  readJsonColumn(account_ids);

/** @throws ServiceError `invalid_resource_identifier`, `resource_not_found`, or `account_mismatch` beyond the key */
export async function requireManageableWebhook(
  database: Pick<Database, 'selectFrom'>,
  caller: Caller,
  webhookId: string,
): Promise<ManageableWebhook> {
  checkId(webhookId, 'webhook');
  const webhook = await database
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .where('workspace_id', '=', caller.workspaceId)
    .executeTakeFirst();
  if (webhook === undefined) throw unknownWebhook();
  requireManaging(caller, accountIdsOf(webhook));
  // Only the type says that the check has passed, so nothing else may make one.
  return webhook as ManageableWebhook;
}

/** Checks of one command; several only where others change the webhook's accounts in between. */
const maxChecks = 5;

/**
 * Checks and changes, again where the webhook was deleted or got other accounts in between.
 * @param change returns null if so, as {@link changeWebhook} tells
 * @throws ServiceError as {@link requireManageableWebhook}, and `service_unavailable` if others are always faster
 */
export async function changeChecked<Result>(
  database: Pick<Database, 'selectFrom'>,
  caller: Caller,
  webhookId: string,
  change: (webhook: ManageableWebhook) => Promise<Result | null>,
): Promise<Result> {
  for (let checks = 0; checks < maxChecks; checks += 1) {
    const result = await change(await requireManageableWebhook(database, caller, webhookId));
    if (result !== null) return result;
  }
  throw new ServiceError('service_unavailable', {
    detail: 'The accounts of the webhook are being changed by others. Nothing was changed: try again.',
  });
}

export async function findManageable(
  database: Pick<Database, 'selectFrom'>,
  caller: Caller,
  webhookIds: readonly string[],
): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const rows = await database
    .selectFrom('webhooks')
    .select(['id', 'account_ids'])
    .where(isInWorkspace('webhooks', caller.workspaceId))
    .where('id', 'in', webhookIds)
    .execute();
  return rows.filter((row) => accessTo(caller, accountIdsOf(row)) === 'manage').map(({ id }) => id);
}

export const unknownWebhook = (): ServiceError =>
  new ServiceError('resource_not_found', { detail: 'No webhook has this id.' });

/** Unless it was deleted, or got other accounts, since the check. @returns false for another check */
export async function changeWebhook(
  database: Pick<Database, 'updateTable'>,
  { id, workspace_id, account_ids }: ManageableWebhook,
  changes: Partial<WebhookTable>,
): Promise<boolean> {
  if (Object.keys(changes).length === 0) return true;
  const { numUpdatedRows } = await database
    .updateTable('webhooks')
    .set(changes)
    .where('id', '=', id)
    // A webhook being deleted is in another workspace.
    .where('workspace_id', '=', workspace_id)
    .where('account_ids', '=', account_ids)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
