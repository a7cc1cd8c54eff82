/** The command that makes, lists and revokes API keys. */

import { findAccount } from '../auth/account-repository.ts';
import { createKey, type KeySummary, listKeys, revokeKey } from '../auth/api-keys.ts';
import { scopeNames, scopes } from '../auth/caller.ts';
import { ensureWorkspace } from '../auth/workspaces.ts';
import { oneOf, readOptions, required, requiredList, runCommand, type Subcommand, table } from './command.ts';
import { UsageError } from './report-error.ts';

const usage = `API keys of the gateway.

Usage:
  npm run key -- create --workspace <name> --name <name> [--scopes a,b] [--accounts id,id] [--expires <when>]
  npm run key -- list
  npm run key -- revoke <key id>

create prints the key, which cannot be found out again, and makes the workspace where there is none of that name.
  --scopes    what the key may do; everything when left out:
${Object.entries(scopes)
  .map(([scope, description]) => `              ${scope.padEnd(16)}${description}`)
  .join('\n')}
  --accounts  ids of the accounts of the workspace that the key is limited to; every account when left out
  --expires   a date as 2027-01-31 or 2027-01-31T09:30:00Z, or a number of days as 30d; never when left out
`;

const create: Subcommand = (args) => {
  const { options } = readOptions(args, ['workspace', 'name', 'scopes', 'accounts', 'expires']);
  const workspace = required(options, 'workspace');
  const name = required(options, 'name');
  const wanted =
    options.scopes === undefined
      ? scopeNames
      : requiredList(options, 'scopes').map((scope) => oneOf(scope, 'scopes', scopeNames));
  const accountIds = options.accounts === undefined ? null : requiredList(options, 'accounts');
  const expiry = options.expires === undefined ? null : readExpiry(required(options, 'expires'));
  return async ({ database, now, randomBytes, say }) => {
    const expiresAt = expiry?.(now) ?? null;
    // All or nothing: a key that cannot be made leaves no workspace behind.
    return database.transaction().execute(async (transaction) => {
      const workspaceId = await ensureWorkspace(transaction, workspace, { now, randomBytes });
      for (const id of accountIds ?? []) {
        const account = await findAccount(transaction, workspaceId, id);
        if (account === undefined) {
          throw new UsageError(
            `--accounts names ${id}, which is no account of the workspace "${workspace}": see "npm run account -- list".`,
          );
        }
      }
      const made = { workspaceId, name, scopes: wanted, accountIds, expiresAt };
      const { id, key } = await createKey(transaction, made, { now, randomBytes });
      say(`Key ${id} of the workspace "${workspace}". Keep what follows: it is shown this once only.`);
      return key;
    });
  };
};

const list: Subcommand = (args) => {
  readOptions(args, []);
  return async ({ database, now }) =>
    table(
      ['KEY ID', 'WORKSPACE', 'NAME', 'SCOPES', 'ACCOUNTS', 'CREATED', 'EXPIRES', 'STATE'],
      (await listKeys(database)).map((key) => [
        key.id,
        key.workspace,
        key.name,
        key.scopes.length === scopeNames.length ? 'all' : key.scopes.join(','),
        key.accountIds === null ? 'all' : key.accountIds.join(','),
        key.createdAt.toISOString(),
        key.expiresAt?.toISOString() ?? 'never',
        stateOf(key, now),
      ]),
    );
};

const revoke: Subcommand = (args) => {
  const { positionals } = readOptions(args, [], 1);
  const [id] = positionals;
  if (id === undefined) throw new UsageError('revoke needs the id of a key: see "npm run key -- list".');
  return async ({ database, now }) => {
    if (await revokeKey(database, id, now)) return `Revoked the key ${id}.`;
    throw new UsageError(`No key that could be revoked has the id ${id}: see "npm run key -- list".`);
  };
};

const stateOf = ({ revokedAt, expiresAt }: KeySummary, now: Date): string => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
};

const dayMs = 24 * 60 * 60 * 1_000;

/** When a key expires, which may depend on when it is made. @throws UsageError */
function readExpiry(value: string): (now: Date) => Date {
  const days = /^([1-9]\d{0,4})d$/.exec(value)?.[1];
  if (days !== undefined) return (now) => new Date(now.getTime() + Number(days) * dayMs);
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\d(T.+)?$/.test(value) || Number.isNaN(date.getTime())) {
    throw new UsageError(
      `--expires must be a date as 2027-01-31 or 2027-01-31T09:30:00Z, or a number of days as 30d, but is "${value}".`,
    );
  }
  return (now) => {
    if (date > now) return date;
    throw new UsageError(`--expires must be in the future, but is "${value}".`);
  };
}

await runCommand(usage, { create, list, revoke });
