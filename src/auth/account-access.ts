import type { Caller } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';

/** @param accountId null for what belongs to no account: it is beyond every limited key */
export const mayActFor = ({ accountIds }: Caller, accountId: string | null): boolean =>
  accountIds === null || (accountId !== null && accountIds.has(accountId));

/** @throws ServiceError `account_mismatch` when the key is limited to other accounts of the workspace */
export function requireAccount(caller: Caller, accountId: string): void {
  if (mayActFor(caller, accountId)) return;
  throw new ServiceError('account_mismatch', { detail: 'The API key is limited to other accounts of the workspace.' });
}

/** An empty list means all accounts. @throws ServiceError `account_mismatch` for it with a limited key */
export function requireNamedAccounts(caller: Caller, accountIds: readonly string[]): void {
  if (accountIds.length > 0 || caller.accountIds === null) return;
  throw new ServiceError('account_mismatch', {
    detail: 'The API key is limited to some accounts: name the ones to listen on in account_ids.',
  });
}

/** `manage` includes an object's secrets; `see` is for objects that concern an account of the key. */
export type Access = 'manage' | 'see' | 'none';

/**
 * A limited key manages only what belongs to no other account: changes of a shared object decide for the others too.
 * @param accountIds of the object; empty for every account of the workspace, future ones included
 */
export function accessTo(caller: Caller, accountIds: readonly string[]): Access {
  if (caller.accountIds === null) return 'manage';
  if (accountIds.length === 0) return 'see';
  const own = accountIds.filter((id) => mayActFor(caller, id)).length;
  if (own === accountIds.length) return 'manage';
  return own > 0 ? 'see' : 'none';
}

/** The error names no account: the key may not know it. @throws ServiceError `account_mismatch` */
export function requireManaging(caller: Caller, accountIds: readonly string[]): void {
  if (accessTo(caller, accountIds) === 'manage') return;
  throw new ServiceError('account_mismatch', {
    detail: 'The request also concerns accounts that the API key is not limited to.',
  });
}
