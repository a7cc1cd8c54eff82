/**
 * The one door to the webhook that a command names by its id. Whatever changes a webhook, uses its secrets or sends to it
 * on a caller's behalf takes a {@link ManageableWebhook}, so that it cannot be reached past the check.
 */
import { accessTo, requireManaging } from '../../auth/account-access.ts';
import type { Caller } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { checkId } from '../../kernel/ids.ts';
import type { Database } from '../../store/database.ts';
import { readJsonColumn } from '../../store/json.ts';
import type { WebhookTable } from '../../store/schema.ts';

declare const manageable: unique symbol;

/** A stored webhook that its caller may manage. Only {@link requireManageableWebhook} returns one. */
export type ManageableWebhook = WebhookTable & { readonly [manageable]: true };

/** The accounts whose events a webhook receives; empty for all of the workspace. */
export const accountIdsOf = ({ account_ids }: Pick<WebhookTable, 'account_ids'>): string[] =>
  readJsonColumn(account_ids);

/**
 * The webhook with this id.
 * @throws ServiceError `invalid_resource_identifier`, `resource_not_found` when the workspace does not have it, or
 *   `account_mismatch` when its accounts are not all the key's
 */
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

/** Those of these webhooks that the caller may manage. */
export async function findManageable(
  database: Pick<Database, 'selectFrom'>,
  caller: Caller,
  webhookIds: readonly string[],
): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const rows = await database
    .selectFrom('webhooks')
    .select(['id', 'account_ids'])
    .where('workspace_id', '=', caller.workspaceId)
    .where('id', 'in', webhookIds)
    .execute();
  return rows.filter((row) => accessTo(caller, accountIdsOf(row)) === 'manage').map(({ id }) => id);
}

export const unknownWebhook = (): ServiceError =>
  new ServiceError('resource_not_found', { detail: 'No webhook has this id.' });

/**
 * Updates columns of a webhook, unless it was deleted, or its accounts have changed, since it was checked.
 * @returns whether it was updated; if not, check the webhook again
 */
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
    // One that is being deleted is in another workspace.
    .where('workspace_id', '=', workspace_id)
    .where('account_ids', '=', account_ids)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
