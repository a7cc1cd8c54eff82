/** The command that connects accounts of the sandbox networks to a workspace, and lists connected accounts. */
import { accountTypes } from '../../auth/account.ts';
import { connectAccount, listConnected } from '../../auth/account-repository.ts';
import { ensureWorkspace } from '../../auth/workspaces.ts';
import { sandboxSessionNames, sandboxToken } from '../../providers/sandbox/networks.ts';
import { oneOf, readOptions, required, runCommand, type Subcommand, table, wrapList } from './command.ts';

const usage = `Manages the connected accounts of the gateway, on its sandbox networks.

Usage:
  npm run account -- connect --workspace <name> --type <type> [--name <name>] [--session <outcome>]
  npm run account -- list [--workspace <name>]

connect prints the id of the account. It creates the workspace if no workspace has that name.
  --type      ${wrapList(accountTypes, 14)}
  --session   the outcome of every call that is made from the account (default: ok):
              ${wrapList(sandboxSessionNames, 14)}
`;

const connect: Subcommand = (args) => {
  const { options } = readOptions(args, ['workspace', 'type', 'name', 'session']);
  const workspace = required(options, 'workspace');
  const type = oneOf(required(options, 'type'), '--type', accountTypes);
  const name = options.name === undefined ? null : required(options, 'name');
  const session = sandboxToken(oneOf(options.session ?? 'ok', '--session', sandboxSessionNames));
  return ({ database, now, randomBytes, note }) =>
    database.transaction().execute(async (transaction) => {
      const workspaceId = await ensureWorkspace(transaction, workspace, { now, randomBytes });
      const id = await connectAccount(transaction, { workspaceId, name, type, session }, { now, randomBytes });
      note(`Connected an account of type ${type} to the workspace "${workspace}". Its id:`);
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
