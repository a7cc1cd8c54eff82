import type { Page } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import type { Account, AccountListRequest } from './shapes.ts';

/** What can be asked about connected accounts: additions to the contract, so that a client finds its way. */
export interface AccountsPort {
  /** The accounts that the key may use, oldest first. `limit` is 1 to 250. */
  list(context: RequestContext, request: AccountListRequest): Promise<Page<Account>>;
  /** The accounts with these ids, in their order; null for each that the key cannot see. */
  find(context: RequestContext, accountIds: readonly string[]): Promise<(Account | null)[]>;
}
