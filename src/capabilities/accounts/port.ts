import type { PageSource } from '../../kernel/page-source.ts';
import type { ListSize, Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type {
  AccessTokenCreated,
  AccessTokenRequest,
  Account,
  AccountFilter,
  AccountListRequest,
  AccountWatch,
} from './shapes.ts';

/** Discovery of connected accounts, an addition to the contract. */
export interface AccountsPort {
  /** Asks where only the service knows. @throws ServiceError of the family `key` for a refused key, or any other */
  checkKey(context: RequestContext): Promise<void>;
  /** @throws ServiceError `insufficient_privileges`, `account_mismatch`, or `resource_not_found` for an account */
  createToken(context: RequestContext, request: AccessTokenRequest): Promise<AccessTokenCreated>;
  /** Oldest first, of those that the key may use. `limit` is 1 to 250. */
  list(context: RequestContext, request: AccountListRequest): Promise<Page<Account>>;
  /** {@link list} as JSON, where there are accounts. */
  readonly pages?: PageSource<AccountListRequest, Page<Account>>;
  /** Sizes of lists in the order of the filters; `maxTotalCount` stands for any larger one. */
  counts(context: RequestContext, filters: readonly AccountFilter[]): Promise<(ListSize | Error)[]>;
  /** In the order of the ids; null for an account that the key cannot see. */
  find(context: RequestContext, accountIds: readonly string[]): Promise<(Account | null)[]>;
  /** {@link find} as JSON, where there are accounts. */
  readonly found?: PageSource<string, Page<Account>>;
  /** Each account, now and after every change. @throws ServiceError `resource_not_found` for an invisible one */
  watch(context: RequestContext, request: AccountWatch): Promise<AsyncGenerator<Account, void>>;
}
