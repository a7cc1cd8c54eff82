/** The stored connected accounts: the only place that reads or writes their table. */

import { newId, type RandomBytes } from '../kernel/ids.ts';
import type { Page } from '../kernel/paging.ts';
import type { Database } from '../store/database.ts';
import { byCreation, type PageRequest, selectPage } from '../store/keyset.ts';
import { countRows } from '../store/keyset-pages.ts';
import type { RowSource } from '../store/row-watch.ts';
import type { AccountTable } from '../store/schema.ts';
import type { AccountStatus, AccountType } from './account.ts';
import { amongAccounts } from './among-accounts.ts';

/** The columns that hold a word of a closed vocabulary: `insertAccounts` stores no other word. */
interface Vocabulary {
  readonly type: AccountType;
  readonly status: AccountStatus;
}

export type StoredAccount = Omit<AccountTable, keyof Vocabulary> & Vocabulary;

/** A database or a transaction. */
type Reader = Pick<Database, 'selectFrom'>;

const accountsOf = (database: Reader, workspaceId: string) =>
  database.selectFrom('accounts').selectAll().where('workspace_id', '=', workspaceId).$narrowType<Vocabulary>();

/** The account with this id; undefined if the workspace has none. */
export const findAccount = (
  database: Reader,
  workspaceId: string,
  accountId: string,
): Promise<StoredAccount | undefined> =>
  accountsOf(database, workspaceId).where('id', '=', accountId).executeTakeFirst();

/** The accounts of the workspace that have one of these ids, in any order. */
export const findAccounts = async (
  database: Reader,
  workspaceId: string,
  accountIds: readonly string[],
): Promise<StoredAccount[]> =>
  accountIds.length === 0 ? [] : accountsOf(database, workspaceId).where('id', 'in', accountIds).execute();

interface AccountFilter {
  readonly workspaceId: string;
  /** The only accounts to consider; null for every account of the workspace. */
  readonly accountIds: ReadonlySet<string> | null;
}

/** A list of accounts. A list of values that is empty, or not given, stands for all of them. */
interface ListedAccounts extends AccountFilter {
  readonly type?: readonly AccountType[] | undefined;
  readonly status?: readonly AccountStatus[] | undefined;
}

function listed(database: Reader, { workspaceId, accountIds, type = [], status = [] }: ListedAccounts) {
  let query = accountsOf(database, workspaceId).where(amongAccounts(accountIds, 'id'));
  if (type.length > 0) query = query.where('type', 'in', type);
  if (status.length > 0) query = query.where('status', 'in', status);
  return query;
}

/**
 * One page of the accounts of a workspace, oldest first.
 * @throws ServiceError `invalid_parameters` when the cursor was not issued for this list
 */
export function pageOfAccounts(
  database: Reader,
  list: ListedAccounts,
  request: PageRequest,
): Promise<Page<StoredAccount>> {
  return selectPage(listed(database, list), byCreation('accounts', 'asc'), request);
}

/** The sizes of the lists, in their order. @param max where counting ends */
export const countAccounts = (database: Database, lists: readonly ListedAccounts[], max: number): Promise<number[]> =>
  countRows(
    database,
    lists.map((list) => listed(database, list).clearSelect().select('id')),
    max,
  );

/** Accounts of every workspace, to be watched: what of them a caller is shown can change. */
export const watchedAccounts = (database: Database): RowSource<StoredAccount> => {
  const read = (ids: readonly string[]) =>
    database.selectFrom('accounts').selectAll().$narrowType<Vocabulary>().where('id', 'in', ids).execute();
  return {
    read,
    versions: async (ids) =>
      (await read(ids)).map(({ id, status, type, name }) => ({ id, version: JSON.stringify([status, type, name]) })),
  };
};

/**
 * The account that was connected first.
 * @param filter.workspaceId its workspace; any workspace if left out
 * @param filter.accountIds the only accounts to consider; every account if null
 */
export async function findOldestAccount(
  database: Reader,
  { workspaceId, accountIds = null }: Partial<AccountFilter>,
): Promise<StoredAccount | undefined> {
  let query = database.selectFrom('accounts').selectAll().$narrowType<Vocabulary>();
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
  return query.where(amongAccounts(accountIds, 'id')).orderBy('created_at').orderBy('id').limit(1).executeTakeFirst();
}

/** Stores accounts as they are. */
export async function insertAccounts(
  database: Pick<Database, 'insertInto'>,
  accounts: readonly StoredAccount[],
): Promise<void> {
  await database.insertInto('accounts').values(accounts).execute();
}

export interface NewAccount {
  readonly workspaceId: string;
  readonly name: string | null;
  readonly type: AccountType;
  /** The network's own word for how the account is signed in. */
  readonly session: string;
}

/** Connects an account, ready for use. @returns its id */
export async function connectAccount(
  database: Database,
  { workspaceId, name, type, session }: NewAccount,
  { now, randomBytes }: { readonly now: Date; readonly randomBytes: RandomBytes },
): Promise<string> {
  const id = newId(randomBytes);
  const created_at = now.getTime();
  await insertAccounts(database, [{ id, workspace_id: workspaceId, name, type, status: 'OK', session, created_at }]);
  return id;
}

/** An account as an operator sees it: everything but its session. */
export interface AccountSummary extends Vocabulary {
  readonly id: string;
  /** The name of its workspace. */
  readonly workspace: string;
  readonly name: string | null;
}

/** The accounts of every workspace, or of the workspace with this name; oldest first. */
export async function listConnected(database: Database, workspace: string | null): Promise<AccountSummary[]> {
  let query = database
    .selectFrom('accounts')
    .innerJoin('workspaces', 'workspaces.id', 'accounts.workspace_id')
    .select(['accounts.id', 'accounts.name', 'accounts.type', 'accounts.status', 'workspaces.name as workspace'])
    .$narrowType<Vocabulary>()
    .orderBy('accounts.created_at')
    .orderBy('accounts.id');
  if (workspace !== null) query = query.where('workspaces.name', '=', workspace);
  return query.execute();
}
