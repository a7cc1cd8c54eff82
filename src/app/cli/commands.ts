/** `postern <command>`: the commands and their help. */
import { suggestionList } from 'graphql/jsutils/suggestionList.js';

interface Command {
  readonly about: string;
  /** What may follow. */
  readonly words?: readonly string[];
  /** Loads a module that reads the arguments of the process. The launcher itself starts the gateway. */
  readonly load?: () => Promise<unknown>;
}

export const commands: Readonly<Record<string, Command>> = {
  start: { about: 'Starts the gateway.' },
  listen: { about: 'Receives and prints deliveries, in development.', load: () => import('./listen.ts') },
  key: {
    about: 'Creates, lists and revokes API keys.',
    words: ['create', 'list', 'revoke'],
    load: () => import('./keys.ts'),
  },
  account: {
    about: 'Connects and lists accounts.',
    words: ['connect', 'list'],
    load: () => import('./accounts.ts'),
  },
  sandbox: {
    about: 'Emits sample events of accounts.',
    words: ['emit', 'events'],
    load: () => import('./sandbox.ts'),
  },
  migrate: { about: 'Migrates the database, or says what is pending.', load: () => import('./migrate.ts') },
  backup: { about: 'Backs up a SQLite database with its secret.', load: () => import('./backup.ts') },
  restore: { about: 'Restores a backup.', load: () => import('./restore.ts') },
  schema: { about: 'Prints the GraphQL schema.', load: () => import('./schema.ts') },
  intake: {
    about: 'Lists, creates and removes the webhooks of a gateway at its service.',
    words: ['status', 'sync', 'remove'],
    load: () => import('./intake.ts'),
  },
};

const names = Object.keys(commands);

const listed = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(14)}${about}`);

const help = `Postern: a GraphQL gateway for jobs, posts and webhooks of connected accounts.

Usage: npx postern <command> [--help]

${listed.join('\n')}

The exit code is 0 for success, 1 for a failure or a finding, and 2 for a command that does not exist.
`;

/** @param args of the command line, the command first */
export async function runCommands([name = '--help', ...args]: string[]): Promise<void> {
  if (['--help', '-h', 'help'].includes(name)) {
    process.stdout.write(help);
    return;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const [nearest] = suggestionList(name, names);
    const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    process.stderr.write(`There is no command ${JSON.stringify(name)}.${meant} See npx postern --help.\n`);
    process.exitCode = 2;
    return;
  }
  process.argv.splice(2, Infinity, ...args);
  await command.load?.();
}
