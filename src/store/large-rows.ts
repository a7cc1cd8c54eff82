/** Large columns are left out of lists and read by id within a {@link ReadBudget}: their length is known beforehand. */
import { type RawBuilder, sql } from 'kysely';
import { weightOfBytes } from '../kernel/lib/fair-turns.ts';
import { parts } from '../kernel/lib/parts.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import type { ReadBudget } from './read-budget.ts';

/** Per statement: parsing so much JSON takes a few milliseconds. */
const batchLimits = { items: 250, weight: 1_048_576 } as const;

interface RowSize {
  readonly id: string;
  readonly bytes: number;
}

/** @returns the rows that exist, in any order */
type ReadRows<Row> = (ids: readonly string[]) => Promise<readonly (readonly [id: string, row: Row])[]>;

interface LargeRows<Row> {
  readonly sizes: (ids: readonly string[]) => Promise<readonly RowSize[]>;
  readonly read: ReadRows<Row>;
}

/** Bytes of columns together, without reading them. Null counts as 0. */
export const columnBytes = (...columns: readonly string[]): RawBuilder<number> =>
  sql<number>`(${sql.join(
    columns.map((column) => textBytes(sql.ref(column))),
    sql` + `,
  )})`;

/** Bytes of a text, without reading it. Null counts as 0. */
const textBytes = (text: RawBuilder<unknown>): RawBuilder<number> => sql<number>`coalesce(octet_length(${text}), 0)`;

/** In the order of the ids; null for a missing row. Reads a few per turn. @throws ServiceError as {@link ReadBudget} */
export async function readLarge<Row>(
  budget: ReadBudget,
  context: RequestContext,
  ids: readonly string[],
  { sizes, read }: LargeRows<Row>,
): Promise<(Row | null)[]> {
  const found = await readSized(budget, context, await readSizes(ids, sizes), read);
  return ids.map((id) => found.get(id) ?? null);
}

/** {@link readLarge} for parts as JSON text. `sizes` are those of the whole, which the database parses. */
export async function readExtracts(
  budget: ReadBudget,
  context: RequestContext,
  ids: readonly string[],
  { sizes, read }: LargeRows<string>,
): Promise<(string | null)[]> {
  const known = await readSizes(ids, sizes);
  budget.requireParsable(bytesOfRows(known));
  const found = new Map<string, string>();
  const taken: (() => void)[] = [];
  try {
    for (const part of parts(known, bytesOf, batchLimits)) {
      await context.turn?.(weightOfBytes(bytesOfRows(part)));
      const texts = await read(part.map(({ id }) => id));
      const bytes = texts.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
      taken.push(await budget.take(context, bytes));
      for (const [id, text] of texts) found.set(id, text);
    }
  } finally {
    if (context.whenPrinted === undefined) for (const giveBack of taken) giveBack();
  }
  return ids.map((id) => found.get(id) ?? null);
}

async function readSizes(ids: readonly string[], sizes: LargeRows<unknown>['sizes']): Promise<readonly RowSize[]> {
  const known: RowSize[] = [];
  for (let at = 0; at < ids.length; at += batchLimits.items)
    known.push(...(await sizes(ids.slice(at, at + batchLimits.items))));
  return known;
}

/** {@link readLarge} for known sizes. @returns existing rows by id */
export async function readSized<Row>(
  budget: ReadBudget,
  context: RequestContext,
  rows: readonly RowSize[],
  read: ReadRows<Row>,
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>();
  const giveBack = await budget.take(context, bytesOfRows(rows));
  try {
    for (const part of parts(rows, bytesOf, batchLimits)) {
      await context.turn?.(weightOfBytes(bytesOfRows(part)));
      for (const [id, row] of await read(part.map(({ id }) => id))) found.set(id, row);
    }
  } finally {
    if (context.whenPrinted === undefined) giveBack();
  }
  return found;
}

export const bytesOf = ({ bytes }: RowSize): number => bytes;

const bytesOfRows = (rows: readonly RowSize[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);
