/** The command that connects accounts of the sandbox networks to a workspace, and lists the connected ones. */

import { accountTypes } from '../auth/account.ts';
import { connectAccount, listConnected } from '../auth/account-repository.ts';
import { ensureWorkspace } from '../auth/workspaces.ts';
import { type SandboxSessionName, sandboxSessions, sandboxToken } from '../providers/sandbox/networks.ts';
import { oneOf, readOptions, required, runCommand, type Subcommand, table } from './command.ts';

const sessionNames = Object.keys(sandboxSessions) as SandboxSessionName[];

const usage = `Connected accounts of the gateway, on its sandbox networks.

Usage:
  npm run account -- connect --workspace <name> --type <type> [--name <name>] [--session <outcome>]
  npm run account -- list [--workspace <name>]

connect prints the id of the account, and makes the workspace where there is none of that name.
  --type      ${accountTypes.join(', ')}
  --session   what comes of calls made from the account; ok when left out:
              ${sessionNames.join(', ')}
`;

const connect: Subcommand = (args) => {
  const { options } = readOptions(args, ['workspace', 'type', 'name', 'session']);
  const workspace = required(options, 'workspace');
  const type = oneOf(required(options, 'type'), 'type', accountTypes);
  const name = options.name === undefined ? null : required(options, 'name');
  const session = sandboxToken(oneOf(options.session ?? 'ok', 'session', sessionNames));
  return ({ database, now, randomBytes, say }) =>
    database.transaction().execute(async (transaction) => {
      const workspaceId = await ensureWorkspace(transaction, workspace, { now, randomBytes });
      const id = await connectAccount(transaction, { workspaceId, name, type, session }, { now, randomBytes });
      say(`Connected an account of type ${type} to the workspace "${workspace}". Its id:`);
      return id;
    });
};

const list: Subcommand = (args) => {
  const { options } = readOptions(args, ['workspace']);
  const workspace = options.workspace === undefined ? null : required(options, 'workspace');
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

await runCommand(usage, { connect, list });
