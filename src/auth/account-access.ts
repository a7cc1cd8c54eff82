/** Which accounts of its workspace an API key may act for, and what it may do with what belongs to several accounts. */

import type { Caller } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';

/**
 * Whether the key may act for this account of its workspace.
 * @param accountId null for what belongs to no account: it is beyond every limited key
 */
export const mayActFor = ({ accountIds }: Caller, accountId: string | null): boolean =>
  accountIds === null || (accountId !== null && accountIds.has(accountId));

/** @throws ServiceError `account_mismatch` when the key is limited to other accounts of the workspace */
export function requireAccount(caller: Caller, accountId: string): void {
  if (mayActFor(caller, accountId)) return;
  throw new ServiceError('account_mismatch', { detail: 'The API key is limited to other accounts of the workspace.' });
}

/**
 * An empty list of accounts means every account of the workspace, so a key that is limited to some must name accounts.
 * @throws ServiceError `account_mismatch` when such a key names none
 */
export function requireNamedAccounts(caller: Caller, accountIds: readonly string[]): void {
  if (accountIds.length > 0 || caller.accountIds === null) return;
  throw new ServiceError('account_mismatch', {
    detail: 'The API key is limited to some accounts: name the ones to listen on in account_ids.',
  });
}

/**
 * What a key may do with an object that belongs to accounts of its workspace: `manage` it, which includes its secrets;
 * `see` that it exists, because it concerns an account of the key; or not even that.
 */
export type Access = 'manage' | 'see' | 'none';

/**
 * The access of a key to an object of its workspace. A key that is limited to accounts manages only what belongs to no
 * other account: whoever changes a shared object decides for the other accounts too.
 * @param accountIds the accounts that the object belongs to; empty for every account of the workspace, future ones included
 */
export function accessTo(caller: Caller, accountIds: readonly string[]): Access {
  if (caller.accountIds === null) return 'manage';
  if (accountIds.length === 0) return 'see';
  const own = accountIds.filter((id) => mayActFor(caller, id)).length;
  if (own === accountIds.length) return 'manage';
  return own > 0 ? 'see' : 'none';
}

/**
 * Refuses a key that may not manage an object. The error names no account, because the key may not know of them.
 * @param accountIds the accounts that the object belongs to, as for {@link accessTo}
 * @throws ServiceError `account_mismatch`
 */
export function requireManaging(caller: Caller, accountIds: readonly string[]): void {
  if (accessTo(caller, accountIds) === 'manage') return;
  throw new ServiceError('account_mismatch', {
    detail: 'This concerns accounts of the workspace beyond those that the API key is limited to.',
  });
}
