/**
 * Pages or sizes of several lists with one statement, so that nested lists cost no statement each. A list whose filters may
 * look at many rows to find few is read by itself, in slices of its index that take turns with those of others.
 */
import { type CompiledQuery, type SelectQueryBuilder, sql } from 'kysely';
import { parts } from '../kernel/lib/parts.ts';
import type { ListSize, Page } from '../kernel/paging.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { maxTotalCount } from '../kernel/validation.ts';
import type { Database } from './database.ts';
import {
  type Bounds,
  type IndexRanges,
  type Keyset,
  type KeyValues,
  orderOf,
  pageQuery,
  type StartedPage,
  sliceQuery,
} from './keyset.ts';
import { limitOf } from './query-compilers.ts';
import type { ReadBudget } from './read-budget.ts';
import { readTogether } from './reads.ts';

/** SQLite takes 500 selects in a UNION ALL and 32,766 parameters, among them a limited key's accounts per select. */
const statementLimits = { items: 25, weight: 30_000 } as const;

export interface ListReading {
  readonly database: Database;
  readonly budget: ReadBudget;
}

/** One statement for those of one order. @returns in the order of the pages */
export async function selectPages<Schema, Table extends keyof Schema, Row>(
  reading: ListReading,
  context: RequestContext,
  pages: readonly StartedPage<Schema, Table, Row>[],
): Promise<Page<Row>[]> {
  const read = new Map<StartedPage<Schema, Table, Row>, Page<Row>>();
  const [whole, sliced] = [[] as (typeof pages)[number][], [] as (typeof pages)[number][]];
  for (const page of pages) (page.ranges === null ? whole : sliced).push(page);
  for (const [keyset, ofOrder] of Map.groupBy(whole, (page) => page.keyset)) {
    for (const some of statementsOf(ofOrder, ({ query }) => query)) {
      const queries = some.map(({ query }) => query);
      const rows = await rowsOf(reading.database, queries, keyset);
      for (const [place, page] of some.entries()) read.set(page, page.pageOf(rows[place] ?? []));
    }
  }
  for (const page of sliced) read.set(page, await selectSliced(reading, context, page));
  return pages.map((page) => read.get(page) ?? { items: [], cursor: null });
}

/**
 * In slices until the page is full. One that looked at enough rows ends between two of them, with fewer items than it may
 * have, perhaps with none. Its cursor names no row: the last that was looked at may be somebody else's.
 */
async function selectSliced<Schema, Table extends keyof Schema, Row>(
  { database, budget }: ListReading,
  context: RequestContext,
  page: StartedPage<Schema, Table, Row>,
): Promise<Page<Row>> {
  const { keyset, ranges, bounds, limit, queryOf } = page;
  const rows: Row[] = [];
  // Most pages are full after a few rows.
  let looked = Math.min(budget.slices.rows, 4 * limit);
  const mayGoOn = slicesOf(budget, context);
  for (let { from } = bounds; ; ) {
    const after = from;
    const through = await budget.scan(context, async () => {
      const end = await endOfSlice(database, keyset, ranges ?? [], { from: after, to: bounds.to, rows: looked });
      rows.push(...((await queryOf(after, end ?? bounds.to).execute()) as Row[]));
      return end;
    });
    if (through === null || rows.length > limit) return page.pageOf(rows);
    const place = placeBefore(keyset, through);
    if (!mayGoOn() && (bounds.from === null || isLater(keyset, place, bounds.from))) {
      const items = rows.filter((row) => isLater(keyset, place, valuesOf(keyset, row)));
      return { items, cursor: page.cursorAt(place) };
    }
    from = through;
    looked = Math.min(budget.slices.rows, 4 * looked);
  }
}

/** @returns whether another slice of a list may be read: asked after each */
function slicesOf({ slices }: ReadBudget, { spent }: RequestContext): () => boolean {
  let ofList = 0;
  return () => {
    ofList += 1;
    spent.slices += 1;
    return ofList < slices.ofList && spent.slices < slices.ofOperation;
  };
}

/** Where the first of the ranges has been looked at enough; null if all of them end before. */
async function endOfSlice<Schema, Table extends keyof Schema>(
  database: Database,
  keyset: Keyset<string>,
  ranges: IndexRanges<Schema, Table>,
  { from, to, rows: looked }: Bounds & { readonly rows: number },
): Promise<KeyValues | null> {
  const columns = keyset.columns.map((column) => sql.ref(`${keyset.table}.${column}`));
  const ends = ranges.map((range) => {
    const rows = pageQuery(range, keyset, from, 1, to).offset(looked - 1);
    // The builder of any schema does not know the columns.
    return sql`select * from (${rows.clearSelect().select(columns as never)}) as part`;
  });
  const { rows } = await sql<Readonly<Record<string, string | number>>>`
    select * from (${sql.join(ends, sql` union all `)}) as merged order by ${orderOf(keyset)} ${limitOf(1)}`.execute(
    database,
  );
  const [end] = rows;
  return end === undefined ? null : valuesOf(keyset, end);
}

/** The row has the columns of the order: it was selected by them. */
const valuesOf = ({ columns }: Keyset<string>, row: unknown): KeyValues =>
  columns.map((column) => (row as Readonly<Record<string, string | number>>)[column] ?? '');

/** The place before all rows of the time at which a slice ends: no id is empty. */
function placeBefore({ order }: Keyset<string>, [time]: KeyValues): KeyValues {
  return [Number(time) + (order === 'asc' ? 0 : 1), ''];
}

/** Whether a place of {@link placeBefore} comes behind a row, or behind another place, of another time. */
const isLater = ({ order }: Keyset<string>, [place = 0]: KeyValues, [time = 0]: KeyValues): boolean =>
  order === 'asc' ? place > time : place <= time;

async function rowsOf<Schema, Table extends keyof Schema, Row>(
  database: Database,
  queries: readonly SelectQueryBuilder<Schema, Table, Row>[],
  keyset: Keyset<string>,
): Promise<(readonly Row[])[]> {
  const [alone, ...others] = queries;
  if (alone === undefined) return [];
  if (others.length === 0) return [await alone.execute()];
  const parts = queries.map(
    (query, place) => sql`select ${sql.lit(place)} as list_place, part.* from (${query}) as part`,
  );
  const { rows } = await sql<Row & { readonly list_place: number }>`
    select * from (${sql.join(parts, sql` union all `)}) as merged order by list_place, ${orderOf(keyset)}`.execute(
    database,
  );
  const byPlace = Map.groupBy(rows, (row) => row.list_place);
  return queries.map((_, place) => byPlace.get(place) ?? []);
}

/** A list to be counted: its rows by one query, or by one for each range of an index if it is read in slices. */
export type CountedList<Schema, Table extends keyof Schema> =
  | { readonly query: SelectQueryBuilder<Schema, Table, { id: string }> }
  | {
      readonly keyset: Keyset<string>;
      readonly bounds: Bounds;
      readonly ranges: IndexRanges<Schema, Table>;
      readonly fitting: readonly SelectQueryBuilder<Schema, Table, { id: string }>[];
    };

/** Sizes of the lists with these filters, read together. Counting ends at {@link maxTotalCount}. */
export const countLists = <Filter, Schema, Table extends keyof Schema>(
  reading: ListReading,
  context: RequestContext,
  filters: readonly Filter[],
  listOf: (filter: Filter) => CountedList<Schema, Table>,
): Promise<(ListSize | Error)[]> =>
  readTogether(filters, listOf, async (lists) => {
    const whole = lists.flatMap((list) => ('query' in list ? list : []));
    const counts = await countRows(
      reading.database,
      whole.map(({ query }) => query),
    );
    const sizes = new Map<CountedList<Schema, Table>, ListSize>();
    for (const [place, list] of whole.entries()) sizes.set(list, sizeOf(counts[place] ?? 0));
    for (const list of lists) if (!('query' in list)) sizes.set(list, await countSliced(reading, context, list));
    return lists.map((list) => sizes.get(list) ?? sizeOf(0));
  });

const sizeOf = (count: number, isComplete = true): ListSize =>
  count > maxTotalCount ? { count: maxTotalCount, isExact: false } : { count, isExact: isComplete };

async function countSliced<Schema, Table extends keyof Schema>(
  { database, budget }: ListReading,
  context: RequestContext,
  { keyset, bounds: { from, to }, ranges, fitting }: Exclude<CountedList<Schema, Table>, { query: unknown }>,
): Promise<ListSize> {
  let count = 0;
  const mayGoOn = slicesOf(budget, context);
  for (let place = from; ; ) {
    const after = place;
    const through: KeyValues | null = await budget.scan(context, async (): Promise<KeyValues | null> => {
      const end: KeyValues | null = await endOfSlice(database, keyset, ranges, {
        from: after,
        to,
        rows: budget.slices.rows,
      });
      const found = fitting.map((query) => sliceQuery(query, keyset, after, end ?? to));
      for (const size of await countRows(database, found, maxTotalCount + 1 - count)) count += size;
      return end;
    });
    if (through === null || count > maxTotalCount) return sizeOf(count);
    if (!mayGoOn()) return sizeOf(count, false);
    place = through;
  }
}

/** In the order of the queries. */
async function countRows<Schema, Table extends keyof Schema>(
  database: Database,
  queries: readonly SelectQueryBuilder<Schema, Table, { id: string }>[],
  max = maxTotalCount + 1,
): Promise<number[]> {
  const counts: number[] = [];
  for (const some of statementsOf(queries, (query) => query)) {
    const parts = some.map(
      (query, place) =>
        sql`select ${sql.lit(place)} as list_place, count(*) as size from (${query.limit(max)}) as part`,
    );
    const { rows } = await sql<{ list_place: number; size: number }>`
      ${sql.join(parts, sql` union all `)} order by list_place`.execute(database);
    counts.push(...rows.map(({ size }) => Number(size)));
  }
  return counts;
}

/** Splits items so that the queries of each part fit one statement. */
const statementsOf = <Item>(
  items: readonly Item[],
  queryOf: (item: Item) => { compile(): CompiledQuery },
): Iterable<readonly Item[]> =>
  items.length === 1 ? [items] : parts(items, (item) => queryOf(item).compile().parameters.length, statementLimits);
