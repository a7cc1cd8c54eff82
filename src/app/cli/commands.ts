/** `postern <command>`: the commands, their help and their completions. */
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { buildVersion } from '../../kernel/build-version.ts';
import { choiceOption } from './command.ts';
import { reportFailure } from './report-error.ts';

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
  completions: {
    about: 'Prints the completions of these commands for a shell.',
    words: ['bash', 'zsh'],
    load: async () => printCompletions(process.argv[2] ?? ''),
  },
};

const names = Object.keys(commands);

const listed = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(14)}${about}`);

const help = `Postern: a GraphQL gateway for jobs, posts and webhooks of connected accounts.

Usage: npx postern <command> [--help]
       npx postern --version

${listed.join('\n')}

The exit code is 0 for success, 1 for a failure or a finding, and 2 for a command that does not exist.
`;

/** @param args of the command line, the command first */
export async function runCommands([name = '--help', ...args]: string[]): Promise<void> {
  if (['--help', '-h', 'help'].includes(name)) {
    process.stdout.write(help);
    return;
  }
  if (['--version', '-v'].includes(name)) {
    process.stdout.write(`${buildVersion}\n`);
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

const completionsHelp = `Prints the completions of "postern" for a shell.

Usage:
  npx postern completions bash
  npx postern completions zsh

They complete the word "postern". In the folder of the clone:
  alias postern="node '$PWD/src/app/postern.js'"
  source <(postern completions bash)
`;

function printCompletions(shell: string): void {
  try {
    const isHelp = ['', '--help', '-h'].includes(shell);
    process.stdout.write(isHelp ? completionsHelp : completions[choiceOption(shell, 'The shell', shells)]());
  } catch (error) {
    reportFailure(error);
  }
}

const shells = ['bash', 'zsh'] as const;

/** A branch for each command that takes one of some words. */
const branches = (branch: (words: string) => string): string =>
  Object.entries(commands)
    .flatMap(([name, { words }]) => (words === undefined ? [] : `    ${name}) ${branch(words.join(' '))} ;;`))
    .join('\n');

const completions: Readonly<Record<(typeof shells)[number], () => string>> = {
  bash: () => `_postern() {
  local words=
  if [ "$COMP_CWORD" = 1 ]; then words="${names.join(' ')} --help"
  elif [ "$COMP_CWORD" = 2 ]; then case "\${COMP_WORDS[1]}" in
${branches((words) => `words="${words} --help"`)}
    *) words="--help" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _postern postern
`,
  zsh: () => `#compdef postern
_postern() {
  local -a commands=(
${Object.entries(commands)
  .map(([name, { about }]) => `    '${name}:${about}'`)
  .join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands
  elif (( CURRENT == 3 )); then case $words[2] in
${branches((words) => `compadd ${words}`)}
    *) _files ;;
  esac
  else _files; fi
}
compdef _postern postern
`,
};
