/** The account that a call is made from: every call for a connected account passes here first. */

import { ServiceError } from '../errors.ts';
import { checkId } from '../ids.ts';
import type { ProviderSession } from '../providers/provider.ts';
import type { Database } from '../store/database.ts';
import { type AccountStatus, type AccountType, accountStatuses } from './account.ts';
import { requireAccount } from './account-access.ts';
import type { Caller } from './caller.ts';

interface Feature {
  /** The account types that the feature is made for; another one is `errors/invalid_account`. */
  readonly types: readonly AccountType[];
  /** Listing posts never answers 404: there an account that is not seen is the wrong account. */
  readonly unseen: 'resource_not_found' | 'wrong_account';
}

/**
 * The session of the account that the caller names, or the first reason why it cannot be used: malformed id → unknown
 * in the workspace → not among the key's accounts → its status → its type.
 */
export async function actingSession(
  database: Database,
  caller: Caller,
  accountId: string,
  { types, unseen }: Feature,
): Promise<ProviderSession> {
  if (unseen === 'resource_not_found') checkId(accountId, 'account');
  const account = await database
    .selectFrom('accounts')
    .select(['id', 'type', 'status', 'session'])
    .where('id', '=', accountId)
    .where('workspace_id', '=', caller.workspaceId)
    .executeTakeFirst();
  if (account === undefined) throw new ServiceError(unseen, { detail: 'No connected account has this account_id.' });
  requireAccount(caller, accountId);
  const { failure } = accountStatuses[account.status as AccountStatus];
  if (failure !== null) throw new ServiceError(failure.errorName, { detail: failure.detail });
  const type = account.type as AccountType;
  if (!types.includes(type)) {
    throw new ServiceError('invalid_account', {
      detail: `Accounts of type ${type} are not designed for this feature.`,
    });
  }
  return { accountId, type, token: account.session };
}
