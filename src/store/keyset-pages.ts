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

/** Lists of a statement. SQLite takes 500 selects in a UNION ALL and 32,766 parameters: a list has some hundreds at most. */
const listsAtOnce = { items: 25, weight: Number.POSITIVE_INFINITY } as const;

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
    for (const some of statementsOf(ofOrder)) {
      const rows = await inTurn(reading, context, some, () => rowsOf(reading.database, some.map(wholeOf), keyset));
      for (const [place, page] of some.entries()) read.set(page, page.pageOf(rows[place] ?? []));
    }
  }
  for (const ofOrder of Map.groupBy(sliced, (page) => page.keyset).values()) {
    for (const some of statementsOf(ofOrder)) {
      const open = some.map((page) => openSliced(reading, context, page));
      // Most pages are full after a few rows: the first slices of all are read together.
      const most = Math.max(leastLooked, ...some.map(({ limit }) => 4 * limit));
      await readSlices(reading, context, open, Math.min(most, Math.ceil(reading.budget.slices.rows / open.length)));
      for (const each of open) {
        for (let looked = 4 * most; each.page === null; looked *= 4) await readSlices(reading, context, [each], looked);
        read.set(each.started, each.page);
      }
    }
  }
  return pages.map((page) => read.get(page) ?? { items: [], cursor: null });
}

/** For a key that is limited to accounts, rows are looked at beside their index. */
const inTurn = <Result>(
  { budget }: ListReading,
  context: RequestContext,
  pages: readonly { readonly isLarge: boolean }[],
  read: () => Promise<Result>,
) =>
  context.caller.accountIds === null && !pages.some(({ isLarge }) => isLarge) ? read() : budget.scan(context, read);

/** By the first slice of a page. */
const leastLooked = 200;

interface SlicedPage<Schema, Table extends keyof Schema, Row> {
  readonly started: StartedPage<Schema, Table, Row>;
  readonly rows: Row[];
  readonly mayGoOn: () => boolean;
  from: KeyValues | null;
  /** Once it is read. */
  page: Page<Row> | null;
}

const openSliced = <Schema, Table extends keyof Schema, Row>(
  { budget }: ListReading,
  context: RequestContext,
  started: StartedPage<Schema, Table, Row>,
): SlicedPage<Schema, Table, Row> => ({
  started,
  rows: [],
  mayGoOn: slicesOf(budget, context),
  from: started.bounds.from,
  page: null,
});

/**
 * A slice of each of these, of one order, until its page is full. One that looked at enough rows ends between two of them, with
 * fewer items than it may have, perhaps with none. Its cursor names no row: the last that was looked at may be somebody else's.
 */
async function readSlices<Schema, Table extends keyof Schema, Row>(
  { database, budget }: ListReading,
  context: RequestContext,
  open: readonly SlicedPage<Schema, Table, Row>[],
  looked: number,
): Promise<void> {
  const [{ keyset }] = open.map(({ started }) => started) as [StartedPage<Schema, Table, Row>];
  const { ends, read } = await budget.scan(context, async () => {
    const slices = open.map(({ from, started: { ranges, bounds } }) => ({ ranges: ranges ?? [], from, to: bounds.to }));
    const found = await endsOfSlices(database, keyset, slices, Math.min(budget.slices.rows, looked));
    const queries = open.map(({ started, from }, at) => started.queryOf(from, found[at] ?? started.bounds.to));
    return { ends: found, read: await rowsOf(database, queries, keyset) };
  });
  for (const [at, each] of open.entries()) {
    const { started, rows, mayGoOn } = each;
    const through = ends[at] ?? null;
    rows.push(...(read[at] ?? []));
    if (through === null || rows.length > started.limit) {
      each.page = started.pageOf(rows);
      continue;
    }
    const place = placeBefore(keyset, through);
    const { from } = started.bounds;
    if (!mayGoOn() && (from === null || isLater(keyset, place, from))) {
      const items = rows.filter((row) => isLater(keyset, place, valuesOf(keyset, row)));
      each.page = { items, cursor: started.cursorAt(place) };
    }
    each.from = through;
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

interface Slice<Schema, Table extends keyof Schema> extends Bounds {
  readonly ranges: IndexRanges<Schema, Table>;
}

/** Ranges that each have all rows of a slice, as states of deliveries do. More share as many. */
const wholeRanges = 4;

const sizeOfRanges = (ranges: IndexRanges<never, never>): number => ('rows' in ranges ? ranges.size : ranges.length);

/** Where the first of the ranges of each slice has been looked at enough; null where all of them end before. */
async function endsOfSlices<Schema, Table extends keyof Schema>(
  database: Database,
  keyset: Keyset<string>,
  slices: readonly Slice<Schema, Table>[],
  looked: number,
): Promise<(KeyValues | null)[]> {
  const columns = keyset.columns.map((column) => sql.ref(`${keyset.table}.${column}`));
  const ends = slices.map(({ ranges, from, to }, place) => {
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
        const open = some.map((list) => ({
          list,
          from: list.bounds.from,
          count: 0,
          mayGoOn: slicesOf(reading.budget, context),
          size: null,
        }));
        await countSlices(reading, context, open, Math.ceil(reading.budget.slices.rows / open.length));
        for (const each of open) {
          while (each.size === null) await countSlices(reading, context, [each], reading.budget.slices.rows);
          sizes.set(each.list, each.size);
        }
      }
      return lists.map(([list]) => (list && sizes.get(list)) ?? sizeOf(0));
    },
  );

const sizeOf = (count: number, isComplete = true): ListSize =>
  count > maxTotalCount ? { count: maxTotalCount, isExact: false } : { count, isExact: isComplete };

type SlicedList<Schema, Table extends keyof Schema> = Exclude<CountedList<Schema, Table>, { query: unknown }>;

interface SlicedCount<Schema, Table extends keyof Schema> {
  readonly list: SlicedList<Schema, Table>;
  readonly mayGoOn: () => boolean;
  from: KeyValues | null;
  count: number;
  /** Once it is counted. */
  size: ListSize | null;
}

/** A slice of each of these, of one order. */
async function countSlices<Schema, Table extends keyof Schema>(
  { database, budget }: ListReading,
  context: RequestContext,
  open: readonly SlicedCount<Schema, Table>[],
  looked: number,
): Promise<void> {
  const [{ keyset }] = open.map(({ list }) => list) as [SlicedList<Schema, Table>];
  const ends = await budget.scan(context, async () => {
    const slices = open.map(({ from, list: { ranges, bounds } }) => ({ ranges, from, to: bounds.to }));
    const found = await endsOfSlices(database, keyset, slices, looked);
    const fitting = open.map(({ from, list }, at) =>
      list.fitting.map((query) => sliceQuery(query, keyset, from, found[at] ?? list.bounds.to)),
    );
    const counts = await countRows(database, fitting);
    for (const [at, each] of open.entries()) each.count += counts[at] ?? 0;
    return found;
  });
  for (const [at, each] of open.entries()) {
    const through = ends[at] ?? null;
    if (through === null || each.count > maxTotalCount) each.size = sizeOf(each.count);
    else if (!each.mayGoOn()) each.size = sizeOf(each.count, false);
    each.from = through;
  }
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
