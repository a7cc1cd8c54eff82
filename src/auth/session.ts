import { type Caller, requireAccount } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Vault } from '../kernel/secrets/vault.ts';
import type { ProviderSession } from '../providers/provider.ts';
import type { Database } from '../store/database.ts';
import { type AccountType, accountStatuses } from './account.ts';
import { findAccount, openToken, type StoredAccount } from './account-repository.ts';
import { type AccountRule, connectedHere } from './account-rule.ts';

/** For an account unknown in the workspace: the contract lets the post list respond with no 404. */
type NotFoundAs = 'resource_not_found' | 'wrong_account';

interface Feature<Type extends AccountType> {
  readonly types: readonly Type[];
  readonly notFoundAs: NotFoundAs;
}

/**
 * The session of an account, or the first refusal: malformed id → unknown in the workspace → beyond the key → status →
 * type.
 * @throws ServiceError `invalid_resource_identifier` (unless `notFoundAs` is `wrong_account`), `notFoundAs`,
 * `account_mismatch`, the failure of its status in `accountStatuses`, or `invalid_account`
 */
export async function requireSession<Type extends AccountType>(
  database: Database,
  vault: Vault,
  caller: Caller,
  accountId: string,
  { types, notFoundAs }: Feature<Type>,
): Promise<ProviderSession & { readonly type: Type }> {
  const account = await requireVisibleAccount(database, caller, accountId, notFoundAs);
  const { failure } = accountStatuses[account.status];
  if (failure !== null) throw new ServiceError(failure.errorName, { detail: failure.detail });
  const type = types.find((supported) => supported === account.type);
  if (type === undefined) {
    throw new ServiceError('invalid_account', {
      detail: `Accounts of type ${account.type} are not designed for this feature.`,
    });
  }
  return { accountId, type, token: openToken(vault, account) };
}

/** @throws ServiceError as {@link requireSession}, whatever the account's status and type */
export async function requireVisibleAccount(
  database: Database,
  caller: Caller,
  accountId: string,
  notFoundAs: NotFoundAs = 'resource_not_found',
  rule: AccountRule = connectedHere,
): Promise<StoredAccount> {
  if (notFoundAs === 'resource_not_found') rule.check(accountId);
  // A database need not be able to look up a malformed id.
  const account = rule.isId(accountId) ? await findAccount(database, caller.workspaceId, accountId) : undefined;
  if (account === undefined)
    throw new ServiceError(notFoundAs, { detail: 'No connected account has this account_id (accountId in GraphQL).' });
  requireAccount(caller, accountId);
  return account;
}
