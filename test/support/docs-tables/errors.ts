/** The error codes, with the types of the unions that have them. */
import { errorTypes } from '../../../src/graphql/kit/error-types.ts';
import { type ErrorFamily, errorNames, errorTable } from '../../../src/kernel/errors.ts';
import { code, row, table } from './markdown.ts';

const typeNames: Partial<Record<ErrorFamily, string>> = Object.fromEntries(
  Object.entries(errorTypes).map(([family, { name }]) => [family, name]),
);

const rows = errorNames.map((name) => {
  const { status, title, family, outcome } = errorTable[name];
  const type = typeNames[family];
  const where = type === undefined ? 'top-level error' : code(type);
  return row(code(name.toUpperCase()), String(status), title, where, outcome === 'unknown' ? 'unknown' : 'no');
});

export const errorTables: Readonly<Record<string, string>> = {
  'error codes': table(['`code`', 'Status', '`title`', 'In a mutation', 'Executed'], rows),
};
