/** Alone reads or writes the accounts' table. */
import { z } from 'zod';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type RandomBytes } from '../kernel/ids.ts';
import { fitsNothing, type ListSize, type Page } from '../kernel/paging.ts';
import { parse } from '../kernel/parse.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { ifOpened, isSealed, type Vault } from '../kernel/secrets/vault.ts';
import { identifier, label, statement } from '../kernel/validation.ts';
import { amongAccounts, isInWorkspace } from '../store/conditions.ts';
import type { Database } from '../store/database.ts';
import { isOneOf } from '../store/json.ts';
import { byCreation, type PageRequest, startPage, unbounded } from '../store/keyset.ts';
import { type CountedList, countLists, type ListReading, selectPages } from '../store/keyset-pages.ts';
import type { AccountTable, Tables } from '../store/schema.ts';
import { shortRead } from '../store/short-reads.ts';
import { inTransaction } from '../store/transaction.ts';
import type { RowSource } from '../store/watch-feed.ts';
import { type AccountStatus, type AccountType, accountTypes, unknownWord } from './account.ts';
import { ensureWorkspace } from './workspaces.ts';

/** Columns of closed vocabularies: `insertAccounts` stores no other word. */
interface Vocabulary {
  readonly type: AccountType;
  readonly status: AccountStatus;
}

export type StoredAccount = Omit<AccountTable, keyof Vocabulary> & Vocabulary;

type Reader = Pick<Database, 'selectFrom'>;

/** Named, so that statements can be prepared. */
const accountColumns = ['id', 'workspace_id', 'name', 'type', 'status', 'session', 'created_at'] as const;

const storedAccounts = (database: Reader) =>
  database.selectFrom('accounts').select(accountColumns).$narrowType<Vocabulary>();

const accountsOf = (database: Reader, workspaceId: string) =>
  storedAccounts(database).where('workspace_id', '=', workspaceId);

/** Accounts that a key may use: those of its ids if it is limited to some. */
const accountsWithin = (database: Reader, { workspaceId, accountIds }: AccountRange) =>
  accountIds === null
    ? accountsOf(database, workspaceId)
    : storedAccounts(database).where(isInWorkspace('accounts', workspaceId)).where(amongAccounts(accountIds, 'id'));

export async function findAccount(
  database: Database,
  workspaceId: string,
  accountId: string,
): Promise<StoredAccount | undefined> {
  const [account] = await shortRead(database, {
    name: 'account by id',
    bound: { workspaceId, accountId },
    build: (bound) => accountsOf(database, bound.workspaceId).where('id', '=', bound.accountId),
  });
  return account;
}

export const findStoredAccounts = async (
  database: Reader,
  workspaceId: string,
  accountIds: readonly string[],
): Promise<StoredAccount[]> =>
  accountIds.length === 0
    ? []
    : storedAccounts(database).where(isInWorkspace('accounts', workspaceId)).where(isOneOf('id', accountIds)).execute();

interface AccountRange {
  readonly workspaceId: string;
  readonly accountIds: ReadonlySet<string> | null;
}

/** A missing list of values stands for all. */
interface ListedAccounts extends AccountRange {
  readonly types?: readonly AccountType[] | undefined;
  readonly statuses?: readonly AccountStatus[] | undefined;
}

function listed(database: Reader, { workspaceId, accountIds, types = [], statuses = [] }: ListedAccounts) {
  let query = accountsWithin(database, { workspaceId, accountIds });
  if (types.length > 0) query = query.where('type', 'in', types);
  if (statuses.length > 0) query = query.where('status', 'in', statuses);
  return query;
}

const oldestFirst = byCreation('accounts', 'asc');

/** The accounts that are looked at, by their index; null for those of a key, which are few, and if all of them fit. */
const slicedAccounts = (database: Reader, { workspaceId, accountIds, types = [], statuses = [] }: ListedAccounts) =>
  accountIds === null && types.length + statuses.length > 0 ? [accountsOf(database, workspaceId)] : null;

/** Oldest first. @throws ServiceError `invalid_parameters` for another list's cursor */
export async function pageOfAccounts(
  reading: ListReading,
  context: RequestContext,
  list: ListedAccounts,
  request: PageRequest,
): Promise<Page<StoredAccount>> {
  const { database } = reading;
  const started = startPage(listed(database, list), oldestFirst, request, {
    ranges: slicedAccounts(database, list),
    isEmpty: fitsNothing(list),
  });
  const [page = { items: [], cursor: null }] = await selectPages(reading, context, [started]);
  return page;
}

export const countStoredAccounts = (
  reading: ListReading,
  context: RequestContext,
  lists: readonly ListedAccounts[],
): Promise<(ListSize | Error)[]> =>
  countLists(reading, context, lists, (list): CountedList<Tables, 'accounts'> => {
    const query = listed(reading.database, list).clearSelect().select('id');
    const ranges = slicedAccounts(reading.database, list);
    return ranges === null ? { query } : { keyset: oldestFirst, bounds: unbounded, ranges, fitting: [query] };
  });

/** Counts no more than `most`. */
export async function countAccountsUpTo(database: Reader, workspaceId: string, most: number): Promise<number> {
  const some = accountsOf(database, workspaceId).clearSelect().select('id').limit(most);
  const { count } = await database
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export const watchedAccounts = (database: Database): RowSource<StoredAccount> => ({
  read: (ids) => storedAccounts(database).where('id', 'in', ids).execute(),
  versionOf: ({ status, type, name }) => JSON.stringify([status, type, name]),
});

/** @param filter.workspaceId any workspace if left out. @param filter.accountIds every account if null */
export async function findOldestAccount(
  database: Reader,
  { workspaceId, accountIds = null }: Partial<AccountRange>,
): Promise<StoredAccount | undefined> {
  const query = workspaceId === undefined ? storedAccounts(database) : accountsOf(database, workspaceId);
  return query.where(amongAccounts(accountIds, 'id')).orderBy('created_at').orderBy('id').limit(1).executeTakeFirst();
}

export async function insertAccounts(
  database: Pick<Database, 'insertInto'>,
  accounts: readonly StoredAccount[],
): Promise<void> {
  await database.insertInto('accounts').values(accounts).execute();
}

const newAccountShape = z.strictObject({
  accountId: identifier().optional(),
  workspace: label(),
  type: z.enum(accountTypes),
  name: label().nullish(),
  token: statement(),
});

/**
 * `workspace` by its name: it is created if there is none. `token` is what the network knows the account by. `accountId`
 * names an account that gets a new token; its name stays if none is given.
 */
export type NewAccount = Readonly<z.infer<typeof newAccountShape>>;

/**
 * Connects a usable account, or connects it again. @param vault null for the token of a simulated network, which is no secret.
 * @returns its id. @throws ServiceError with an issue for every invalid value, such as `invalid_parameters`;
 * `resource_not_found` for an account to connect again that is not of the workspace and type
 */
export async function connectAccount(
  database: Database,
  account: NewAccount,
  { vault, now, randomBytes }: { readonly vault: Vault | null; readonly now: Date; readonly randomBytes: RandomBytes },
): Promise<string> {
  const { accountId, workspace, type, name, token } = parse(newAccountShape, account);
  const id = accountId ?? newId(randomBytes);
  const session = vault === null ? token : vault.seal(tokenPlace(id), token);
  return inTransaction(database, async (transaction) => {
    const workspace_id = await ensureWorkspace(transaction, workspace, { now, randomBytes });
    if (accountId === undefined) {
      const added = {
        id,
        workspace_id,
        name: name ?? null,
        type,
        status: 'OK',
        session,
        created_at: now.getTime(),
      } as const;
      await insertAccounts(transaction, [added]);
      return id;
    }
    const update = transaction.updateTable('accounts').set({ session, status: 'OK', ...(name && { name }) });
    const known = update.where('id', '=', id).where('workspace_id', '=', workspace_id).where('type', '=', type);
    const { numUpdatedRows } = await known.executeTakeFirstOrThrow();
    if (numUpdatedRows > 0) return id;
    throw new ServiceError('resource_not_found', {
      detail: `The workspace has no account of type ${type} with the id "${id}".`,
    });
  });
}

const tokenPlace = (accountId: string): string => `account-token:${accountId}`;

/** @throws Error for a token that was changed, or sealed with another SECRET */
export const openToken = (vault: Vault, { id, session }: Pick<StoredAccount, 'id' | 'session'>): string =>
  isSealed(session) ? vault.open(tokenPlace(id), session) : session;

const readAtOnce = 250;

/** Seals the tokens anew after a change of the deployment's secret. A concurrent change wins; unreadable ones stay. */
export async function resealTokens(database: Database, vault: Vault): Promise<void> {
  let last = '';
  for (;;) {
    const inOrder = database.selectFrom('accounts').select(['id', 'session']).orderBy('id');
    const accounts = await inOrder.where('id', '>', last).limit(readAtOnce).execute();
    for (const { id, session } of accounts) {
      const resealed = isSealed(session) ? ifOpened(() => vault.reseal(tokenPlace(id), session)) : null;
      if (resealed === null) continue;
      const update = database.updateTable('accounts').set({ session: resealed });
      await update.where('id', '=', id).where('session', '=', session).execute();
    }
    if (accounts.length < readAtOnce) return;
    last = accounts.at(-1)?.id ?? last;
  }
}

export interface LearnedAccount {
  readonly id: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly status?: AccountStatus | undefined;
}

/** Accounts of one statement. */
const learnedAtOnce = 250;

const maxTextLength = 500;

/** Postgres has no U+0000 in texts. */
const storable = (text: string): string => text.slice(0, maxTextLength).replaceAll('\0', '\uFFFD').toWellFormed();

/** Keeps what a service has told of its accounts: what it does not tell stays as it is. */
export async function learnAccounts(
  database: Database,
  workspaceId: string,
  accounts: readonly LearnedAccount[],
  now: Date,
): Promise<void> {
  // In one order, as two processes would wait for each other.
  const byId = [...new Map(accounts.map((account) => [account.id, account])).values()].sort((one, two) =>
    one.id < two.id ? -1 : 1,
  );
  for (let at = 0; at < byId.length; at += learnedAtOnce) {
    const values = byId.slice(at, at + learnedAtOnce).map(({ id, name, type, status }) => ({
      id,
      workspace_id: workspaceId,
      name: name === undefined ? null : storable(name),
      type: type === undefined ? unknownWord : storable(type),
      status: status ?? unknownWord,
      session: '',
      created_at: now.getTime(),
    }));
    await database
      .insertInto('accounts')
      .values(values)
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(({ fn, ref, eb }) => {
            const told = (column: 'type' | 'status') =>
              eb
                .case()
                .when(ref(`excluded.${column}`), '=', unknownWord)
                .then(ref(`accounts.${column}`))
                .else(ref(`excluded.${column}`))
                .end();
            return { name: fn.coalesce('excluded.name', 'accounts.name'), type: told('type'), status: told('status') };
          })
          .whereRef('accounts.workspace_id', '=', 'excluded.workspace_id'),
      )
      .execute();
  }
}

/** Oldest first, of one workspace by its name, or of all. */
export async function listConnected(database: Database, workspace: string | null) {
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
