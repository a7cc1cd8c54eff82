import type { Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { Account, AccountFilter, AccountListRequest, AccountWatch } from './shapes.ts';

/** What the gateway can do with connected accounts: additions to the contract that let a client discover them. */
export interface AccountsPort {
  /**
   * Asks the service whether it accepts the key, where only the service knows.
   * @throws ServiceError of the family `key` for one that it refuses, any other if it does not say
   */
  checkKey(context: RequestContext): Promise<void>;
  /** The accounts that the key may use, oldest first. `limit` is 1 to 250. */
  list(context: RequestContext, request: AccountListRequest): Promise<Page<Account>>;
  /** The sizes of lists, in the order of their filters; `maxTotalCount` stands for any larger one. */
  counts(context: RequestContext, filters: readonly AccountFilter[]): Promise<number[]>;
  /** The accounts with these ids, in the order of the ids; null for each that the key cannot see. */
  find(context: RequestContext, accountIds: readonly string[]): Promise<(Account | null)[]>;
  /**
   * Yields each of these accounts as it is, and again whenever it changes, until the context's signal aborts.
   * @throws ServiceError `resource_not_found` when the key cannot see one of them
   */
  watch(context: RequestContext, request: AccountWatch): Promise<AsyncGenerator<Account, void>>;
}
