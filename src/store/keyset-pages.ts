/**
 * Pages or sizes of several lists with one statement, so that nested lists cost no statement each. A list whose filters may
 * look at many rows to find few is read by itself, in slices of its index that take turns with those of others.
 */
import { type SelectQueryBuilder, sql } from 'kysely';
import { parts } from '../kernel/lib/parts.ts';
import { fitsNothing, type ListSize, type Page } from '../kernel/paging.ts';
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
  wholeOf,
} from './keyset.ts';
import { limitOf } from './query-compilers.ts';
import type { ReadBudget } from './read-budget.ts';
import { readTogether } from './reads.ts';
import { shortRead } from './short-reads.ts';

/** Lists of a statement. SQLite takes 500 selects in a UNION ALL and 32,766 parameters: a list has some hundreds at most. */
const listsAtOnce = { items: 25, weight: 25 } as const;

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
  for (const page of pages) if (!page.isEmpty) (page.ranges === null ? whole : sliced).push(page);
  for (const [keyset, ofOrder] of Map.groupBy(whole, (page) => page.keyset)) {
    for (const some of parts(ofOrder, ({ turn }) => (turn === 'own' ? listsAtOnce.weight : 1), listsAtOnce)) {
      const short = some.length === 1 ? some[0]?.short : null;
      const rows = short
        ? [await shortRead(reading.database, short)]
        : await inTurn(reading, context, some, () => rowsOf(reading.database, some.map(wholeOf), keyset));
      for (const [place, page] of some.entries()) read.set(page, page.pageOf(rows[place] ?? []));
    }
  }
  for (const [keyset, ofOrder] of Map.groupBy(sliced, (page) => page.keyset)) {
    for (const some of statementsOf(ofOrder)) {
      const lists = some.map((page) => slicedPage(page, slicesOf(reading.budget, context)));
      // Most pages are full after a few rows.
      const first = Math.max(leastLooked, ...some.map(({ limit }) => 4 * limit));
      const rowsOfAll = (queries: readonly SelectQueryBuilder<Schema, Table, Row>[]) =>
        rowsOf(reading.database, queries, keyset);
      const found = await inSlices(reading, context, lists, rowsOfAll, first);
      for (const [place, page] of some.entries()) read.set(page, found[place] ?? page.pageOf([]));
    }
  }
  return pages.map((page) => read.get(page) ?? { items: [], cursor: null });
}

/** For a key that is limited to accounts, rows are looked at beside their index. */
const inTurn = <Result>(
  { budget }: ListReading,
  context: RequestContext,
  pages: readonly Pick<StartedPage<never, never, never>, 'turn'>[],
  read: () => Promise<Result>,
) =>
  context.caller.accountIds === null && pages.every(({ turn }) => turn === null) ? read() : budget.scan(context, read);

/** By the first slice of a page. */
const leastLooked = 200;

type IndexedList<Schema, Table extends keyof Schema> = Pick<
  StartedPage<Schema, Table, never>,
  'keyset' | 'bounds' | 'ranges'
>;

/** A list that is read in slices. */
interface SlicedList<Schema, Table extends keyof Schema, Query, Read, Result> {
  readonly list: IndexedList<Schema, Table>;
  /** The query of a slice. */
  readonly queryOf: (after: KeyValues | null, through: KeyValues | null) => Query;
  /** @param through where the slice ends; null for the end of the list. @returns null before the last slice */
  readonly take: (read: Read, through: KeyValues | null) => Result | null;
}

/**
 * Reads lists of one order: the first slices of all together.
 * @param first rows that the first slice of each looks at, at most; each later one looks at four times as many
 */
async function inSlices<Schema, Table extends keyof Schema, Query, Read, Result>(
  { database, budget }: ListReading,
  context: RequestContext,
  lists: readonly SlicedList<Schema, Table, Query, Read, Result>[],
  readAll: (queries: readonly Query[]) => Promise<readonly Read[]>,
  first: number = budget.slices.rows,
): Promise<Result[]> {
  const open = lists.map((each) => ({ ...each, from: each.list.bounds.from, result: null as Result | null }));
  const readSlices = async (some: typeof open, looked: number): Promise<void> => {
    const { ends, read } = await budget.scan(context, async () => {
      const found = await endsOfSlices(database, some, Math.min(budget.slices.rows, looked));
      const queries = some.map(({ queryOf, from, list }, at) => queryOf(from, found[at] ?? list.bounds.to));
      return { ends: found, read: await readAll(queries) };
    });
    for (const [at, each] of some.entries()) {
      const through = ends[at] ?? null;
      each.result = each.take(read[at] as Read, through);
      each.from = through;
    }
  };
  await readSlices(open, Math.min(first, Math.ceil(budget.slices.rows / open.length)));
  const results: Result[] = [];
  for (const each of open) {
    for (let looked = 4 * first; each.result === null; looked *= 4) await readSlices([each], looked);
    results.push(each.result);
  }
  return results;
}

/**
 * Reads a page until it is full. One that looked at enough rows ends between two of them, with fewer items than it may
 * have, perhaps with none. Its cursor names no row: the last that was looked at may be somebody else's.
 */
function slicedPage<Schema, Table extends keyof Schema, Row>(
  page: StartedPage<Schema, Table, Row>,
  mayGoOn: () => boolean,
): SlicedList<Schema, Table, SelectQueryBuilder<Schema, Table, Row>, readonly Row[], Page<Row>> {
  const { keyset, bounds, limit } = page;
  const rows: Row[] = [];
  return {
    list: page,
    queryOf: page.queryOf,
    take(read, through) {
      rows.push(...read);
      if (through === null || rows.length > limit) return page.pageOf(rows);
      const place = placeBefore(keyset, through);
      if (mayGoOn() || (bounds.from !== null && !isLater(keyset, place, bounds.from))) return null;
      return {
        items: rows.filter((row) => isLater(keyset, place, valuesOf(keyset, row))),
        cursor: page.cursorAt(place),
      };
    },
  };
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

/** Ranges that each have all rows of a slice, as states of deliveries do. More share as many. */
const wholeRanges = 4;

const sizeOfRanges = (ranges: IndexRanges<never, never>): number => ('rows' in ranges ? ranges.size : ranges.length);

/** Where the first of the ranges of each slice has been looked at enough; null where all of them end before. */
async function endsOfSlices<Schema, Table extends keyof Schema>(
  database: Database,
  slices: readonly { readonly list: IndexedList<Schema, Table>; readonly from: KeyValues | null }[],
  looked: number,
): Promise<(KeyValues | null)[]> {
  const [{ keyset }] = slices.map(({ list }) => list) as [IndexedList<Schema, Table>];
  const columns = keyset.columns.map((column) => sql.ref(`${keyset.table}.${column}`));
  const ends = slices.map(({ from, list }, place) => {
    const { to } = list.bounds;
    const ranges = list.ranges ?? [];
    const passed = Math.ceil(looked * Math.min(1, wholeRanges / sizeOfRanges(ranges))) - 1;
    const rows =
      'rows' in ranges
        ? ranges.rows(from, 1, to, passed)
        : sql.join(
            ranges.map((range) => {
              const row = pageQuery(range, keyset, from, 1, to).offset(passed);
              // The builder of any schema does not know the columns.
              return sql`select * from (${row.clearSelect().select(columns as never)}) as part`;
            }),
            sql` union all `,
          );
    const first = sql`select * from (${rows}) as merged order by ${orderOf(keyset)} ${limitOf(1)}`;
    return sql`select ${sql.lit(place)} as list_place, part.* from (${first}) as part`;
  });
  const { rows } = await sql<Readonly<Record<string, string | number>>>`${sql.join(ends, sql` union all `)}`.execute(
    database,
  );
  const byPlace = new Map(rows.map((row) => [Number(row.list_place), valuesOf(keyset, row)]));
  return slices.map((_, place) => byPlace.get(place) ?? null);
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
export const countLists = <Filter extends object, Schema, Table extends keyof Schema>(
  reading: ListReading,
  context: RequestContext,
  filters: readonly Filter[],
  listOf: (filter: Filter) => CountedList<Schema, Table>,
): Promise<(ListSize | Error)[]> =>
  // Made for its errors, even if nothing fits.
  readTogether(
    filters,
    (filter) => [listOf(filter)].filter(() => !fitsNothing(filter)),
    async (lists) => {
      const read = lists.flat();
      const whole = read.flatMap((list) => ('query' in list ? list : []));
      const wholly = whole.map(({ query }) => [query]);
      const counts =
        wholly.length === 0 ? [] : await reading.budget.scan(context, () => countRows(reading.database, wholly));
      const sizes = new Map<CountedList<Schema, Table>, ListSize>();
      for (const [place, list] of whole.entries()) sizes.set(list, sizeOf(counts[place] ?? 0));
      const sliced = read.flatMap((list) => ('query' in list ? [] : list));
      for (const some of statementsOf(sliced)) {
        const open = some.map((list) => slicedCount(list, slicesOf(reading.budget, context)));
        const found = await inSlices(reading, context, open, (queries) => countRows(reading.database, queries));
        for (const [place, list] of some.entries()) sizes.set(list, found[place] ?? sizeOf(0));
      }
      return lists.map(([list]) => (list && sizes.get(list)) ?? sizeOf(0));
    },
  );

const sizeOf = (count: number, isComplete = true): ListSize =>
  count > maxTotalCount ? { count: maxTotalCount, isExact: false } : { count, isExact: isComplete };

function slicedCount<Schema, Table extends keyof Schema>(
  { fitting, ...list }: Exclude<CountedList<Schema, Table>, { readonly query: unknown }>,
  mayGoOn: () => boolean,
): SlicedList<Schema, Table, readonly SelectQueryBuilder<Schema, Table, { id: string }>[], number, ListSize> {
  let count = 0;
  return {
    list,
    queryOf: (after, through) => fitting.map((query) => sliceQuery(query, list.keyset, after, through)),
    take(read, through) {
      count += read;
      if (through === null || count > maxTotalCount) return sizeOf(count);
      return mayGoOn() ? null : sizeOf(count, false);
    },
  };
}

/** In the order of the lists, each by its queries together. */
async function countRows<Schema, Table extends keyof Schema>(
  database: Database,
  lists: readonly (readonly SelectQueryBuilder<Schema, Table, { id: string }>[])[],
): Promise<number[]> {
  const counts: number[] = [];
  for (const some of statementsOf(lists)) {
    const parts = some.map(
      (queries, place) =>
        sql`select ${sql.lit(place)} as list_place, count(*) as size from (${unionOf(queries)}) as part`,
    );
    const { rows } = await sql<{ list_place: number; size: number }>`
      ${sql.join(parts, sql` union all `)} order by list_place`.execute(database);
    counts.push(...rows.map(({ size }) => Number(size)));
  }
  return counts;
}

/** The rows of one query end where counting ends. */
const unionOf = <Schema, Table extends keyof Schema>(
  queries: readonly SelectQueryBuilder<Schema, Table, { id: string }>[],
) =>
  sql.join(
    queries.map((query) => sql`select id from (${query.limit(maxTotalCount + 1)}) as part`),
    sql` union all `,
  );

const statementsOf = <Item>(items: readonly Item[]): Iterable<readonly Item[]> => parts(items, () => 1, listsAtOnce);
