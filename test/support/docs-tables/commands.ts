/** The commands of `postern`. */
import { commands } from '../../../src/app/cli/commands.ts';
import { code, row, table } from './markdown.ts';

export const commandTables: Readonly<Record<string, string>> = {
  commands: table(
    ['Command', 'What it does', 'Then'],
    Object.entries(commands).map(([name, { about, words = [] }]) => row(code(name), about, words.map(code).join(', '))),
  ),
};
