import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { type Caller, expiredKey, missingKey, type Scope } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type RandomBytes } from '../kernel/ids.ts';
import { channelNames, encodeMessage, nobody } from '../store/channel-messages.ts';
import type { Database } from '../store/database.ts';
import { isPostgres } from '../store/is-postgres.ts';
import { readJsonColumn } from '../store/json.ts';

/** Lets people and secret scanners recognize a key. */
const keyPrefix = 'postern_';

const hashOf = (key: string): string => hash('sha256', key);

interface NewKey {
  readonly workspaceId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly accountIds: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** Stores the hash of the returned key only. @throws Error for empty `accountIds`: null stands for every account */
export async function createKey(
  database: Database,
  { workspaceId, name, scopes, accountIds, expiresAt }: NewKey,
  { now, randomBytes }: { readonly now: Date; readonly randomBytes: RandomBytes },
): Promise<{ readonly id: string; readonly key: string }> {
  if (accountIds?.length === 0) throw new Error('A key that is limited to accounts needs at least one account');
  const key = keyPrefix + randomBytes(32).toString('base64url');
  const id = newId(randomBytes);
  await database
    .insertInto('api_keys')
    .values({
      id,
      workspace_id: workspaceId,
      name,
      hash: hashOf(key),
      scopes: JSON.stringify(scopes),
      account_ids: accountIds === null ? null : JSON.stringify(accountIds),
      created_at: now.getTime(),
      expires_at: expiresAt?.getTime() ?? null,
      revoked_at: null,
    })
    .execute();
  return { id, key };
}

/** @throws ServiceError `missing_credentials`, `invalid_credentials` (unknown or revoked) or `expired_credentials` */
export async function authenticate(database: Database, key: string | undefined, now: Date): Promise<Caller> {
  if (key === undefined || key === '') throw missingKey();
  return callerOf(await storedKeys(database).where('hash', '=', hashOf(key)).executeTakeFirst(), now);
}

/** By a key's id, as access tokens name it. @throws ServiceError `invalid_credentials` or `expired_credentials` */
export const authenticateById = async (database: Database, keyId: string, now: Date): Promise<Caller> =>
  callerOf(await storedKeys(database).where('api_keys.id', '=', keyId).executeTakeFirst(), now);

const storedKeys = (database: Database) =>
  database
    .selectFrom('api_keys')
    .innerJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .select(['api_keys.id', 'api_keys.name', 'workspace_id', 'workspaces.name as workspace_name'])
    .select(['scopes', 'account_ids', 'expires_at', 'revoked_at']);

type FoundKey = Awaited<ReturnType<ReturnType<typeof storedKeys>['executeTakeFirst']>>;

function callerOf(found: FoundKey, now: Date): Caller {
  const refusal = refusalOf(found, now);
  // The compiler cannot see that a missing key is refused.
  if (refusal !== null || found === undefined) throw refusal;
  return {
    keyId: found.id,
    keyName: found.name,
    workspaceId: found.workspace_id,
    workspaceName: found.workspace_name,
    scopes: new Set(readJsonColumn<Scope[]>(found.scopes)),
    accountIds: found.account_ids === null ? null : new Set(readJsonColumn<string[]>(found.account_ids)),
    expiresAt: found.expires_at === null ? null : new Date(found.expires_at),
  };
}

/** Null for a usable key. @param key undefined if unknown */
function refusalOf(
  key: { readonly revoked_at: number | null; readonly expires_at: number | null } | undefined,
  now: Date,
): ServiceError | null {
  if (key === undefined || key.revoked_at !== null) {
    return new ServiceError('invalid_credentials', { detail: 'The API key is not valid.', family: 'key' });
  }
  return key.expires_at !== null && key.expires_at <= now.getTime() ? expiredKey() : null;
}

export async function findRefusedKeys(
  database: Database,
  keyIds: readonly string[],
  now: Date,
): Promise<Map<string, ServiceError>> {
  if (keyIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('api_keys')
    .select(['id', 'expires_at', 'revoked_at'])
    .where('id', 'in', keyIds)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    keyIds.flatMap((id) => {
      const refusal = refusalOf(byId.get(id), now);
      return refusal === null ? [] : [[id, refusal] as const];
    }),
  );
}

export type KeySummary = Awaited<ReturnType<typeof listKeys>>[number];

export async function listKeys(database: Database) {
  const rows = await database
    .selectFrom('api_keys')
    .innerJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .selectAll('api_keys')
    .select('workspaces.name as workspace')
    .orderBy('api_keys.created_at')
    .orderBy('api_keys.id')
    .execute();
  const date = (time: number | null) => (time === null ? null : new Date(time));
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    workspace: row.workspace,
    scopes: readJsonColumn<Scope[]>(row.scopes),
    accountIds: row.account_ids === null ? null : readJsonColumn<string[]>(row.account_ids),
    createdAt: new Date(row.created_at),
    expiresAt: date(row.expires_at),
    revokedAt: date(row.revoked_at),
  }));
}

/** Others hear of it at once on Postgres, within a second on SQLite. @returns false for an unknown or revoked id */
export async function revokeKey(database: Database, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('api_keys')
    .set({ revoked_at: now.getTime() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (isPostgres(database)) {
    await sql`select pg_notify(${channelNames.revocation}, ${encodeMessage(nobody)})`.execute(database);
  }
  return numUpdatedRows === 1n;
}
