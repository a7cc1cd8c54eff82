/** Which accounts of its workspace an API key may act for. */
import { ServiceError } from '../errors.ts';
import type { Caller } from './caller.ts';

/** Throws `errors/account_mismatch` for an account of the workspace that the key is not made for. */
export function requireAccount(caller: Caller, accountId: string): void {
  if (caller.accountIds === null || caller.accountIds.has(accountId)) return;
  throw new ServiceError('account_mismatch', { detail: 'The API key is limited to other accounts of the workspace.' });
}

/**
 * Throws `errors/account_mismatch` where no account is named, which means every account of the workspace, and the key is
 * not made for all of them.
 */
export function requireNamedAccounts(caller: Caller, accountIds: readonly string[]): void {
  if (accountIds.length > 0 || caller.accountIds === null) return;
  throw new ServiceError('account_mismatch', {
    detail: 'The API key is limited to some accounts: name the ones to listen on in account_ids.',
  });
}
