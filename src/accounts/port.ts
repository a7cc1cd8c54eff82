import type { Page } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import type { Account, AccountListRequest } from './shapes.ts';

/** What the gateway can do with connected accounts: additions to the contract that let a client discover them. */
export interface AccountsPort {
  /** The accounts that the key may use, oldest first. `limit` is 1 to 250. */
  list(context: RequestContext, request: AccountListRequest): Promise<Page<Account>>;
  /** The accounts with these ids, in the order of the ids; null for each that the key cannot see. */
  find(context: RequestContext, accountIds: readonly string[]): Promise<(Account | null)[]>;
}
