/** Which accounts of its workspace an API key may act for. */
import { ServiceError } from '../errors.ts';
import type { Caller } from './caller.ts';

/** Whether the key may act for this account of its workspace. */
export const mayActFor = ({ accountIds }: Caller, accountId: string): boolean =>
  accountIds === null || accountIds.has(accountId);

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
