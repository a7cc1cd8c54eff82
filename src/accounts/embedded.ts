import { mayActFor } from '../auth/account-access.ts';
import { findAccounts, pageOfAccounts, type StoredAccount } from '../auth/account-repository.ts';
import { isId } from '../ids.ts';
import type { CursorCodec } from '../paging.ts';
import type { Database } from '../store/database.ts';
import { findByIds } from '../store/find-by-ids.ts';
import type { AccountsPort } from './port.ts';
import { type Account, accountListLimits } from './shapes.ts';

/** The connected accounts in our own database. */
export function embeddedAccounts({
  database,
  cursors,
}: {
  readonly database: Database;
  readonly cursors: CursorCodec;
}): AccountsPort {
  return {
    async list({ caller }, { limit = accountListLimits.limit.default, cursor }) {
      const scope = ['accounts', caller.keyId];
      const page = await pageOfAccounts(database, caller, { cursors, scope, cursor, limit });
      return { ...page, items: page.items.map(toAccount) };
    },

    async find({ caller }, accountIds) {
      const rows = await findByIds(
        accountIds,
        (id) => isId(id) && mayActFor(caller, id),
        (ids) => findAccounts(database, caller.workspaceId, ids),
      );
      return rows.map((row) => row && toAccount(row));
    },
  };
}

const toAccount = ({ id, name, type, status }: StoredAccount): Account => ({ account_id: id, name, type, status });
