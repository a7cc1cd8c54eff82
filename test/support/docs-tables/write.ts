/** `npm run docs` writes what derives from files into the pages, between markers that name it: tables of the code, files of the examples. */
import { writeFileSync } from 'node:fs';
import { pages } from '../docs.ts';
import { commandTables } from './commands.ts';
import { errorTables } from './errors.ts';
import { limitTables } from './limits.ts';
import { logTables } from './log.ts';
import { metricTables } from './metrics.ts';
import { quoteOf } from './quotes.ts';
import { sandboxTables } from './sandbox.ts';
import { scopeTables } from './scopes.ts';
import { setUpTables } from './set-ups.ts';
import { variableTables } from './variables.ts';

export const tables: Readonly<Record<string, string>> = {
  ...variableTables,
  ...limitTables,
  ...errorTables,
  ...metricTables,
  ...logTables,
  ...scopeTables,
  ...sandboxTables,
  ...setUpTables,
  ...commandTables,
};

/** A table or a file in a page: `<!-- npm run docs: name -->`, the table or the code block, `<!-- end -->`. */
const place = /(<!-- npm run docs: (.+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The names of the tables and files that a page has. */
export const derivedIn = (page: string): string[] => [...page.matchAll(place)].map(([, , name = '']) => name);

/** A page with its tables and files as they are now. @throws Error for one that does not exist */
export const withDerived = (page: string): string =>
  page.replaceAll(place, (_, start: string, name: string, end: string) => {
    const derived = tables[name] ?? quoteOf(name);
    if (derived === null) throw new Error(`There is no table "${name}"`);
    return `${start}${derived}\n${end}`;
  });

if (import.meta.main) for (const [path, text] of pages) writeFileSync(path, withDerived(text));
