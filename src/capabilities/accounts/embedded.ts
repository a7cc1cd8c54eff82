import type { AccessTokens } from '../../auth/access-tokens.ts';
import {
  countStoredAccounts,
  findStoredAccounts,
  pageOfAccounts,
  type StoredAccount,
  watchedAccounts,
} from '../../auth/account-repository.ts';
import type { AccountRule } from '../../auth/account-rule.ts';
import { mayActFor } from '../../kernel/caller.ts';
import type { CursorCodec, Page } from '../../kernel/paging.ts';
import { printedItems, printedPages } from '../../kernel/printed-pages.ts';
import type { Database } from '../../store/database.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import { findByIds, onlyOf, requireFound } from '../../store/reads.ts';
import { createRowWatch } from '../../store/watch-feed.ts';
import type { AccountsPort } from './port.ts';
import { type Account, type AccountListRequest, accountListLimits, accountListScope } from './shapes.ts';
import { createToken } from './tokens.ts';

export function embeddedAccounts({
  database,
  budget,
  cursors,
  tokens,
  accountRule,
}: {
  readonly database: Database;
  readonly budget: ReadBudget;
  readonly cursors: CursorCodec;
  readonly tokens: AccessTokens;
  readonly accountRule: AccountRule;
}): AccountsPort {
  const reading = { database, budget };
  const readByIds: AccountsPort['find'] = async ({ caller }, accountIds) => {
    const rows = await findByIds(
      accountIds,
      (id) => accountRule.isId(id) && mayActFor(caller, id),
      (ids) => findStoredAccounts(database, caller.workspaceId, ids),
    );
    return rows.map((row) => row && toAccount(row));
  };
  const readList: AccountsPort['list'] = async (
    context,
    { limit = accountListLimits.limit.default, cursor, ...filter },
  ) => {
    const { caller } = context;
    const scope = ['accounts', caller.keyId, ...accountListScope(filter)];
    const page = await pageOfAccounts(reading, context, { ...caller, ...filter }, { cursors, scope, cursor, limit });
    return { ...page, items: page.items.map(toAccount) };
  };
  const changes = createRowWatch(watchedAccounts(database));

  const { find, found } = printedItems({ name: 'accounts', find: readByIds });
  const { lists, pages } = printedPages<AccountListRequest, Page<Account>>({
    name: 'accounts',
    lists: (context, requests) =>
      Promise.all(requests.map((request) => readList(context, request).catch((error: Error) => error))),
  });

  return {
    // Every request has been authenticated.
    checkKey: async () => undefined,
    find,
    found,

    async createToken({ caller }, request) {
      const ids = request.account_ids ?? [];
      const known = await findStoredAccounts(database, caller.workspaceId, ids.filter(accountRule.isId));
      const unknown = ids.filter((id) => known.every((each) => each.id !== id));
      requireFound(
        'account',
        unknown,
        unknown.map((id) => accountRule.isId(id) || null),
      );
      if (unknown.length > 0) await accountRule.admit(caller, unknown);
      return createToken(tokens, caller, request);
    },

    list: async (context, request) => onlyOf(await lists(context, [request])),
    pages,

    counts: (context, filters) =>
      countStoredAccounts(
        reading,
        context,
        filters.map((filter) => ({ ...context.caller, ...filter })),
      ),

    async watch(context, { account_ids }) {
      requireFound('account', account_ids, await find(context, account_ids));
      const { caller, signal } = context;
      return changes.watch(account_ids, signal, (row) =>
        row.workspace_id === caller.workspaceId && mayActFor(caller, row.id) ? toAccount(row) : null,
      );
    },
  };
}

const toAccount = ({ id, name, type, status }: StoredAccount): Account => ({ account_id: id, name, type, status });
