/**
 * Rows with large columns. Lists are read without them; what is selected of them is read by the ids of the rows, within a
 * {@link ReadBudget}: the database tells how long a value is without reading it.
 */
import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { RequestContext } from '../kernel/request-context.ts';
import type { ReadBudget } from './read-budget.ts';

/** What is read with one statement: to parse so many bytes of JSON takes a few milliseconds. */
const atOnce = { bytes: 1_048_576, rows: 250 } as const;

/** A row, and the bytes of its large columns. */
export interface RowSize {
  readonly id: string;
  readonly bytes: number;
}

/** Reads rows by their ids. @returns in any order those that there are */
type ReadRows<Row> = (ids: readonly string[]) => Promise<readonly (readonly [id: string, row: Row])[]>;

export interface LargeRows<Row> {
  /** The bytes of each of these rows that there is, in any order. */
  readonly sizes: (ids: readonly string[]) => Promise<readonly RowSize[]>;
  readonly read: ReadRows<Row>;
}

/** The bytes of some columns together, without reading them. Null counts as nothing. */
export const bytesOf = (...columns: readonly string[]): RawBuilder<number> =>
  sql<number>`(${sql.join(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    sql` + `,
  )})`;

/**
 * Reads rows within the budget, a few at a time, with a turn of the event loop between.
 * @returns in the order of the ids; null for each row that there is not
 * @throws ServiceError as {@link ReadBudget}
 */
export async function readLarge<Row>(
  budget: ReadBudget,
  context: RequestContext,
  ids: readonly string[],
  { sizes, read }: LargeRows<Row>,
): Promise<(Row | null)[]> {
  const known: RowSize[] = [];
  for (let at = 0; at < ids.length; at += atOnce.rows) known.push(...(await sizes(ids.slice(at, at + atOnce.rows))));
  const found = await readSized(budget, context, known, read);
  return ids.map((id) => found.get(id) ?? null);
}

/** The same for rows whose sizes are known. @returns those that there are, by their ids */
export async function readSized<Row>(
  budget: ReadBudget,
  context: RequestContext,
  rows: readonly RowSize[],
  read: ReadRows<Row>,
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>();
  const giveBack = await budget.take(
    context,
    rows.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  try {
    for (const part of parts(rows, atOnce)) {
      if (found.size > 0) await setImmediate();
      for (const [id, row] of await read(part.map(({ id }) => id))) found.set(id, row);
    }
  } finally {
    if (context.whenClosed === undefined) giveBack();
  }
  return found;
}

/** Cuts rows into parts of so many rows and bytes, or of one row that alone has more bytes. */
export function* parts<Row extends RowSize>(
  rows: readonly Row[],
  most: { readonly rows: number; readonly bytes: number },
): Generator<readonly Row[]> {
  let part: Row[] = [];
  let total = 0;
  for (const row of rows) {
    if (part.length === most.rows || (part.length > 0 && total + row.bytes > most.bytes)) {
      yield part;
      [part, total] = [[], 0];
    }
    part.push(row);
    total += row.bytes;
  }
  if (part.length > 0) yield part;
}
