import { accountTypes } from '../../auth/account.ts';
import { connectAccount, listConnected } from '../../auth/account-repository.ts';
import { ensureWorkspace } from '../../auth/workspaces.ts';
import { sandboxSessionNames, sandboxToken } from '../../providers/sandbox/networks.ts';
import { choiceOption, readOptions, requiredOption, runCommand, type Subcommand, table, wrapList } from './command.ts';
import { writeNote } from './report-error.ts';

const usage = `Manages the connected accounts of the gateway, on its sandbox networks.

Usage:
  npx postern account connect --workspace <name> --type <type> [--name <name>] [--session <outcome>]
  npx postern account list [--workspace <name>]

connect prints the id of the account. It creates the workspace if no workspace has that name.
  --type      ${wrapList(accountTypes, 14)}
  --session   the outcome of every call that is made from the account (default: ok):
              ${wrapList(sandboxSessionNames, 14)}
`;

const connect: Subcommand = (args) => {
  const { options } = readOptions(args, ['workspace', 'type', 'name', 'session']);
  const workspace = requiredOption(options, 'workspace');
  const type = choiceOption(requiredOption(options, 'type'), '--type', accountTypes);
  const name = options.name === undefined ? null : requiredOption(options, 'name');
  const session = sandboxToken(choiceOption(options.session ?? 'ok', '--session', sandboxSessionNames));
  return ({ database, now, randomBytes }) =>
    database.transaction().execute(async (transaction) => {
      const workspaceId = await ensureWorkspace(transaction, workspace, { now, randomBytes });
      const id = await connectAccount(transaction, { workspaceId, name, type, session }, { now, randomBytes });
      writeNote(`Connected an account of type ${type} to the workspace "${workspace}". Its id:`);
      return id;
    });
};

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
