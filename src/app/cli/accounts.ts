import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { accountTypes } from '../../auth/account.ts';
import { connectAccount, listConnected } from '../../auth/account-repository.ts';
import { hasWorkspace } from '../../auth/workspaces.ts';
import type { RandomBytes } from '../../kernel/ids.ts';
import { findSecrets, keyringOf } from '../../kernel/secrets/secret.ts';
import { type Vault, vaultOf } from '../../kernel/secrets/vault.ts';
import { sandboxSessionNames, sandboxToken } from '../../providers/sandbox/networks.ts';
import type { Database } from '../../store/database.ts';
import { recognizeSecret, recordSecret } from '../backends/secret-check.ts';
import type { Config } from '../config/config.ts';
import { choiceOption, readOptions, requiredOption, runCommand, type Subcommand, table, wrapList } from './command.ts';
import { newWorkspace, UsageError, writeNote } from './report-error.ts';

const usage = `Manages the connected accounts of the gateway.

Usage:
  npx postern account connect --workspace <name> --type <type> [--name <name>] [--id <account>] --token-file <file>
  npx postern account connect --workspace <name> --type <type> [--name <name>] [--session <outcome>]
  npx postern account list [--workspace <name>]

connect prints the id of the account. It creates the workspace if no workspace has that name.
  --type      ${wrapList(accountTypes, 14)}
  --id        an account that gets a new token, which it then uses
  --token-file
              a file with the token that the network knows the account by; - reads standard input. It is stored sealed
              with SECRET
  --session   of a simulated network: the outcome of every call that is made from the account (default: ok):
              ${wrapList(sandboxSessionNames, 14)}
`;

const connect: Subcommand = (args) => {
  const { options } = readOptions(args, ['workspace', 'type', 'name', 'id', 'token-file', 'session']);
  const workspace = requiredOption(options, 'workspace');
  const type = choiceOption(requiredOption(options, 'type'), '--type', accountTypes);
  const name = options.name === undefined ? null : requiredOption(options, 'name');
  const session = sandboxToken(choiceOption(options.session ?? 'ok', '--session', sandboxSessionNames));
  const file = options['token-file'];
  const again = options.id === undefined ? {} : { accountId: requiredOption(options, 'id') };
  if (file !== undefined && options.session !== undefined)
    throw new UsageError('--token-file is for a network, --session for a simulated one: leave one out.');
  if (options.id !== undefined && file === undefined && options.session === undefined)
    throw new UsageError('--id needs a new token: give --token-file, or --session for a simulated network.');
  return async ({ database, config, now, randomBytes }) => {
    if (config.upstream !== null)
      throw new UsageError('The service at UPSTREAM_URL connects accounts, not the gateway.');
    const account = { ...again, workspace, type, name, token: file === undefined ? session : await readToken(file) };
    const vault = file === undefined ? null : await openVault(database, config, randomBytes);
    const isNew = !(await hasWorkspace(database, workspace));
    const id = await connectAccount(database, account, { vault, now, randomBytes });
    if (isNew) writeNote(newWorkspace(workspace));
    writeNote(
      `Connected ${options.id === undefined ? 'an' : 'again an'} account of type ${type} to the workspace "${workspace}". Its id:`,
    );
    return id;
  };
};

/** Without the end of its line. @throws UsageError for a file that cannot be read, or is empty */
async function readToken(file: string): Promise<string> {
  const read = file === '-' ? text(process.stdin) : readFile(file, 'utf8');
  const token = (
    await read.catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`--token-file cannot be read: ${error.code} at ${file}.`);
    })
  ).trim();
  if (token !== '') return token;
  throw new UsageError('--token-file has no token.');
}

/** @throws ConfigError for a secret that is not that of the database */
async function openVault(database: Database, config: Config, randomBytes: RandomBytes): Promise<Vault> {
  const secrets = await findSecrets(config, randomBytes);
  const keyring = keyringOf(secrets);
  const recognized = await recognizeSecret(database, keyring('check'), secrets);
  // A gateway that starts later must have it.
  if (recognized === 'unknown') await recordSecret(database, keyring('check'), secrets, recognized);
  return vaultOf(keyring, randomBytes);
}

const printAccounts: Subcommand = (args) => {
  const { options } = readOptions(args, ['workspace']);
  const workspace = options.workspace === undefined ? null : requiredOption(options, 'workspace');
  return async ({ database }) =>
    table(
      ['ACCOUNT ID', 'WORKSPACE', 'TYPE', 'STATUS', 'NAME'],
      (await listConnected(database, workspace)).map((account) => [
        account.id,
        account.workspace,
        account.type,
        account.status,
        account.name ?? '',
      ]),
    );
};

await runCommand(usage, { connect, list: printAccounts });
