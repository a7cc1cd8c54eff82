/** API keys: creating, listing and revoking them, and authenticating a caller. */
import { createHash } from 'node:crypto';
import { SqliteAdapter, sql } from 'kysely';
import { type Caller, expiredKey, missingKey, type Scope } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type RandomBytes } from '../kernel/ids.ts';
import { channelNames, messageOf, nobody } from '../store/channels.ts';
import type { Database } from '../store/database.ts';
import { readJsonColumn } from '../store/json.ts';

/** Starts every key, so that people and secret scanners recognize one. */
const keyPrefix = 'postern_';

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

export interface NewKey {
  readonly workspaceId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly accountIds: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/**
 * Creates a key. Only its hash is stored, so the returned key is the caller's only chance to see it.
 * @throws Error when `accountIds` is empty: null stands for every account
 */
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

/**
 * Identifies the caller by the API key of the request.
 * @throws ServiceError `missing_credentials`, `invalid_credentials` (unknown or revoked) or `expired_credentials`
 */
export async function authenticate(database: Database, key: string | undefined, now: Date): Promise<Caller> {
  if (key === undefined || key === '') throw missingKey();
  const found = await database
    .selectFrom('api_keys')
    .innerJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .select(['api_keys.id', 'api_keys.name', 'workspace_id', 'workspaces.name as workspace_name'])
    .select(['scopes', 'account_ids', 'expires_at', 'revoked_at'])
    .where('hash', '=', hashOf(key))
    .executeTakeFirst();
  const refusal = refusalOf(found, now);
  // A key that is not found is refused, which the compiler cannot see.
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

/** Why a key cannot be used; null if it can. @param key undefined for one that does not exist */
function refusalOf(
  key: { readonly revoked_at: number | null; readonly expires_at: number | null } | undefined,
  now: Date,
): ServiceError | null {
  if (key === undefined || key.revoked_at !== null) {
    return new ServiceError('invalid_credentials', { detail: 'The API key is not valid.', family: 'key' });
  }
  return key.expires_at !== null && key.expires_at <= now.getTime() ? expiredKey() : null;
}

/** Those of the keys that cannot be used any more, with the reason, by their ids. One query for any number of keys. */
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

/** A key as an operator sees it: everything but the key itself. */
export interface KeySummary {
  readonly id: string;
  readonly name: string;
  readonly workspace: string;
  readonly scopes: readonly Scope[];
  readonly accountIds: readonly string[] | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The keys of every workspace, oldest first. */
export async function listKeys(database: Database): Promise<KeySummary[]> {
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
    scopes: readJsonColumn(row.scopes),
    accountIds: row.account_ids === null ? null : readJsonColumn(row.account_ids),
    createdAt: new Date(row.created_at),
    expiresAt: date(row.expires_at),
    revokedAt: date(row.revoked_at),
  }));
}

/**
 * Revokes a key. Processes on Postgres hear of it at once, those on SQLite within a second.
 * @returns false when no key has this id, or it is already revoked
 */
export async function revokeKey(database: Database, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('api_keys')
    .set({ revoked_at: now.getTime() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!(database.getExecutor().adapter instanceof SqliteAdapter)) {
    await sql`select pg_notify(${channelNames.revocation}, ${messageOf(nobody)})`.execute(database);
  }
  return numUpdatedRows === 1n;
}
