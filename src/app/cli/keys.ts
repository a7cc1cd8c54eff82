import { findAccount } from '../../auth/account-repository.ts';
import { createKey, type KeySummary, listKeys, revokeKey } from '../../auth/api-keys.ts';
import { ensureWorkspace, hasWorkspace } from '../../auth/workspaces.ts';
import { scopeNames, scopes } from '../../kernel/caller.ts';
import { day } from '../../kernel/lib/time-units.ts';
import {
  choiceOption,
  readOptions,
  requiredListOption,
  requiredOption,
  runCommand,
  type Subcommand,
  table,
} from './command.ts';
import { newWorkspace, UsageError, writeNote } from './report-error.ts';

const usage = `Manages the API keys of the gateway.

Usage:
  npx postern key create --workspace <name> --name <name> [--scopes a,b] [--accounts id,id] [--expires <when>]
  npx postern key list
  npx postern key revoke <key id>

create prints the key, which is shown only once. It creates the workspace if no workspace has that name.
  --scopes    what the key may do (default: everything):
${Object.entries(scopes)
  .map(([scope, description]) => `              ${scope.padEnd(16)}${description}`)
  .join('\n')}
  --accounts  the accounts that the key is limited to, by id (default: every account of the workspace); with UPSTREAM_URL,
              accounts of the service, which are not looked up
  --expires   a date such as 2027-01-31 or 2027-01-31T09:30:00Z, or a number of days such as 30d (default: never)
`;

const create: Subcommand = (args) => {
  const { options } = readOptions(args, ['workspace', 'name', 'scopes', 'accounts', 'expires']);
  const workspace = requiredOption(options, 'workspace');
  const name = requiredOption(options, 'name');
  const granted =
    options.scopes === undefined
      ? scopeNames
      : requiredListOption(options, 'scopes').map((scope) => choiceOption(scope, '--scopes', scopeNames));
  const accountIds = options.accounts === undefined ? null : requiredListOption(options, 'accounts');
  const expiry = options.expires === undefined ? null : readExpiry(requiredOption(options, 'expires'));
  return async ({ database, config, now, randomBytes }) => {
    const expiresAt = expiry?.(now) ?? null;
    // A key that cannot be created leaves no workspace behind.
    return database.transaction().execute(async (transaction) => {
      const isNew = !(await hasWorkspace(transaction, workspace));
      const workspaceId = await ensureWorkspace(transaction, workspace, { now, randomBytes });
      // No endpoint of the contract lists a service's accounts.
      for (const id of (config.upstream === null ? accountIds : null) ?? []) {
        const account = await findAccount(transaction, workspaceId, id);
        if (account === undefined) {
          throw new UsageError(
            `--accounts names ${id}, which is not an account of the workspace "${workspace}": see "npx postern account list".`,
          );
        }
      }
      const settings = { workspaceId, name, scopes: granted, accountIds, expiresAt };
      const { id, key } = await createKey(transaction, settings, { now, randomBytes });
      writeNote(`Created the key ${id} of the workspace "${workspace}". Store the key: it is shown only once.`);
      if (isNew) writeNote(newWorkspace(workspace));
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
  if (id === undefined) throw new UsageError('revoke needs the id of a key: see "npx postern key list".');
  return async ({ database, now }) => {
    if (await revokeKey(database, id, now)) return `Revoked the key ${id}.`;
    throw new UsageError(`No key to revoke has the id ${id}: see "npx postern key list".`);
  };
};

const stateOf = ({ revokedAt, expiresAt }: KeySummary, now: Date): string => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
};

/** @throws UsageError for neither a date nor a number of days; the result throws it for a date in the past */
function readExpiry(value: string): (now: Date) => Date {
  const days = /^([1-9]\d{0,4})d$/.exec(value)?.[1];
  if (days !== undefined) return (now) => new Date(now.getTime() + Number(days) * day);
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\d(T.+)?$/.test(value) || Number.isNaN(date.getTime())) {
    throw new UsageError(
      `--expires must be a date such as 2027-01-31 or 2027-01-31T09:30:00Z, or a number of days such as 30d, but is "${value}".`,
    );
  }
  return (now) => {
    if (date > now) return date;
    throw new UsageError(`--expires must be in the future, but is "${value}".`);
  };
}

await runCommand(usage, { create, list, revoke });
