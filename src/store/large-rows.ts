/**
 * Rows with large columns. Lists are read without them; what is selected of them is read by the ids of the rows, within a
 * {@link ReadBudget}: the database tells how long a value is without reading it.
 */
import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { RequestContext } from '../request-context.ts';
import type { ReadBudget } from './read-budget.ts';

/** What is read with one statement: to parse so many bytes of JSON takes a few milliseconds. */
const atOnce = { bytes: 1_048_576, rows: 250 } as const;

export interface LargeRows<Row> {
  /** The bytes of each of these rows that there is, in any order. */
  readonly sizes: (ids: readonly string[]) => Promise<readonly { readonly id: string; readonly bytes: number }[]>;
  /** These rows by their ids, in any order. */
  readonly read: (ids: readonly string[]) => Promise<readonly (readonly [id: string, row: Row])[]>;
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
  const found = new Map<string, Row>();
  const known: { readonly id: string; readonly bytes: number }[] = [];
  for (let at = 0; at < ids.length; at += atOnce.rows) known.push(...(await sizes(ids.slice(at, at + atOnce.rows))));
  const giveBack = await budget.take(
    context,
    known.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  try {
    for (const part of parts(known)) {
      if (found.size > 0) await setImmediate();
      for (const [id, row] of await read(part)) found.set(id, row);
    }
  } finally {
    if (context.whenClosed === undefined) giveBack();
  }
  return ids.map((id) => found.get(id) ?? null);
}

function* parts(rows: readonly { readonly id: string; readonly bytes: number }[]): Generator<readonly string[]> {
  let part: string[] = [];
  let total = 0;
  for (const { id, bytes } of rows) {
    if (part.length === atOnce.rows || (part.length > 0 && total + bytes > atOnce.bytes)) {
      yield part;
      [part, total] = [[], 0];
    }
    part.push(id);
    total += bytes;
  }
  if (part.length > 0) yield part;
}
