import type { AccountStatus, AccountType } from '../auth/account.ts';
import type { Caller } from '../auth/caller.ts';
import { isId } from '../ids.ts';
import type { CursorCodec } from '../paging.ts';
import type { Database } from '../store/database.ts';
import { readPage } from '../store/keyset.ts';
import type { AccountTable } from '../store/schema.ts';
import type { AccountsPort } from './port.ts';
import type { Account } from './shapes.ts';
import { accountListLimits } from './shapes.ts';

/** Connected accounts out of our own database. */
export function embeddedAccounts({
  database,
  cursors,
}: {
  readonly database: Database;
  readonly cursors: CursorCodec;
}): AccountsPort {
  const visible = (caller: Caller) => {
    const query = database.selectFrom('accounts').selectAll().where('workspace_id', '=', caller.workspaceId);
    return caller.accountIds === null ? query : query.where('id', 'in', [...caller.accountIds]);
  };
  return {
    async list({ caller }, { limit = accountListLimits.limit.default, cursor }) {
      const page = await readPage(cursors, ['accounts', caller.keyId], { cursor, limit }, (place, count) => {
        let query = visible(caller).orderBy('created_at').orderBy('id').limit(count);
        if (place !== null) {
          query = query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('created_at', 'id'), '>', tuple(place.created_at, place.id)),
          );
        }
        return query.execute();
      });
      return { ...page, items: page.items.map(toAccount) };
    },

    async find({ caller }, accountIds) {
      const wellFormed = accountIds.filter(isId);
      if (wellFormed.length === 0) return accountIds.map(() => null);
      const rows = await visible(caller).where('id', 'in', wellFormed).execute();
      const byId = new Map(rows.map((row) => [row.id, toAccount(row)]));
      return accountIds.map((id) => byId.get(id) ?? null);
    },
  };
}

const toAccount = (row: AccountTable): Account => ({
  account_id: row.id,
  name: row.name,
  type: row.type as AccountType,
  status: row.status as AccountStatus,
});
