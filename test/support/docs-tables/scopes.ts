/** The scopes of API keys. */
import { scopes } from '../../../src/kernel/caller.ts';
import { code, row, table } from './markdown.ts';

export const scopeTables: Readonly<Record<string, string>> = {
  scopes: table(
    ['Scope', 'What it allows'],
    Object.entries(scopes).map(([name, description]) => row(code(name), description)),
  ),
};
