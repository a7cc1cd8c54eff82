/** The error codes, with the types of the unions that have them. */
import { errorTypes } from '../../../src/graphql/kit/error-types.ts';
import { type ErrorFamily, errorNames, errorTable } from '../../../src/kernel/errors.ts';
import { code, row, table } from './markdown.ts';

const { request, checkpoint, other } = errorTypes;

const whereByFamily: Readonly<Record<ErrorFamily, string>> = {
  request: code(request.name),
  account: code(other.name),
  object: code(other.name),
  checkpoint: `${code(checkpoint.name)} of \`solveJobCheckpoint\`, otherwise ${code(other.name)}`,
  key: 'top-level error',
  system: 'top-level error',
};

const rows = errorNames.map((name) => {
  const { status, title, family, outcome } = errorTable[name];
  const executed = outcome === 'unknown' ? 'unknown' : 'no';
  return row(code(name.toUpperCase()), String(status), title, whereByFamily[family], executed);
});

export const errorTables: Readonly<Record<string, string>> = {
  'error codes': table(['`code`', 'Status', 'Meaning', 'In a mutation', 'Executed'], rows),
};
