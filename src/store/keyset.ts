/**
 * Keyset pagination: a page starts behind the sort values of the last row before it. Unlike an offset it neither skips
 * nor repeats rows when others come or go, and is one range of an index.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Reach } from '../kernel/caller.ts';
import { type CursorCodec, type CursorScope, foreignCursor, type Page } from '../kernel/paging.ts';
import { byDialect, limitOf } from './query-compilers.ts';
import { type BoundValues, reachOf, type ShortRead } from './short-reads.ts';

type KeyValue = string | number;

/** Sort order of a list. The values of `columns` together identify a row. */
export interface Keyset<Column extends string> {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly order: 'asc' | 'desc';
}

/** The order of a column; the id breaks ties. */
export const keysetBy = <Column extends string>(
  table: string,
  column: Column,
  order: 'asc' | 'desc',
): Keyset<Column | 'id'> => ({ table, columns: [column, 'id'], order });

export const byCreation = (table: string, order: 'asc' | 'desc') => keysetBy(table, 'created_at', order);

/** The keyset of a request's order. @param initial that of a request without one */
export const keysetsOf =
  <Order extends string, Column extends string>(initial: Order, keysets: Readonly<Record<Order, Keyset<Column>>>) =>
  ({ order_by = initial }: { readonly order_by?: Order | undefined }): Keyset<Column> =>
    keysets[order_by];

/** Position of a row in the order of creation. */
export interface CreationPosition {
  readonly created_at: number;
  readonly id: string;
}

export interface PageRequest {
  readonly cursors: CursorCodec;
  /** Binds the cursor to the list and its filters. */
  readonly scope: CursorScope;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** The sort values of a row, or of a place between rows. */
export type KeyValues = readonly KeyValue[];

/** The first `count` rows in the order of `keyset`, or the first behind the row with the values `after`. */
export function pageQuery<Schema, Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  keyset: Keyset<string>,
  after: KeyValues | null,
  count: number,
  through: KeyValues | null = null,
): SelectQueryBuilder<Schema, Table, Row> {
  let page = query.limit(count);
  for (const key of keysOf(keyset)) page = page.orderBy(key, keyset.order);
  return sliceQuery(page, keyset, after, through);
}

const keysOf = ({ table, columns }: Keyset<string>) => columns.map((column) => sql.ref<KeyValue>(`${table}.${column}`));

/** The rows behind `after`, up to `through`. */
export function sliceQuery<Schema, Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  keyset: Keyset<string>,
  after: KeyValues | null,
  through: KeyValues | null,
): SelectQueryBuilder<Schema, Table, Row> {
  const keys = sql.join(keysOf(keyset));
  const isAsc = keyset.order === 'asc';
  let slice = query;
  // A row comparison is one range of an index; `a > x or (a = x and b > y)` is not.
  if (after !== null) slice = slice.where(sql<boolean>`(${keys}) ${isAsc ? sql`>` : sql`<`} (${sql.join(after)})`);
  if (through !== null)
    slice = slice.where(sql<boolean>`(${keys}) ${isAsc ? sql`<=` : sql`>=`} (${sql.join(through)})`);
  return slice;
}

export type PlacedQuery<Schema, Table extends keyof Schema, Row> = (
  after: KeyValues | null,
  count: number,
  through: KeyValues | null,
) => SelectQueryBuilder<Schema, Table, Row>;

type ListQuery<Schema, Table extends keyof Schema, Row> =
  | SelectQueryBuilder<Schema, Table, Row>
  | PlacedQuery<Schema, Table, Row>;

/** A list whose pages are short reads. */
export interface ShortList<Schema, Table extends keyof Schema, Row, Bound extends BoundValues = BoundValues> {
  readonly name: string;
  readonly bound: Bound;
  queryOf(bound: Bound): ListQuery<Schema, Table, Row>;
}

/**
 * A list of a key: as short reads for one of all accounts, as a limited one looks at rows beside the index.
 * @param name has what its text depends on. Null for a list whose filters look at rows: they would hold up the thread
 * @param bound what its query binds besides the workspace
 */
export const listOf = <Schema, Table extends keyof Schema, Row, Bound extends BoundValues>(
  reach: Reach,
  name: string | null,
  bound: Bound,
  queryOf: (reach: Reach, bound: Bound) => ListQuery<Schema, Table, Row>,
): ListQuery<Schema, Table, Row> | ShortList<Schema, Table, Row> =>
  name === null || reach.accountIds !== null
    ? queryOf(reach, bound)
    : {
        name,
        bound: { ...bound, workspaceId: reach.workspaceId },
        queryOf: (values: Bound & Pick<Reach, 'workspaceId'>) => queryOf(reachOf(values), values),
      };

/**
 * Where a list begins and ends in its order. As places, not as conditions on the time: of two bounds at one side of an index,
 * databases take any.
 */
export interface Bounds {
  readonly from: KeyValues | null;
  readonly to: KeyValues | null;
}

export const unbounded: Bounds = { from: null, to: null };

/** Bounds of a list by times. No id is empty. @param until excluded */
export function boundsOf({ order }: Keyset<string>, since: number | null, until: number | null): Bounds {
  const [earliest, latest] = [since, until].map((time) => (time === null ? null : [time, '']));
  const [from = null, to = null] = order === 'asc' ? [earliest, latest] : [latest, earliest];
  return { from, to };
}

/** Ranges of an index that a list is read from, whatever else its filters ask for: these find few rows among many. */
export type IndexRanges<Schema, Table extends keyof Schema> =
  | readonly SelectQueryBuilder<Schema, Table, object>[]
  | ValueRanges;

/** A range for each of some values: one text, and little to build, however many there are. */
export interface ValueRanges {
  readonly size: number;
  /** The columns of the order of `count` rows of each range, after `offset` others. */
  readonly rows: (
    after: KeyValues | null,
    count: number,
    through: KeyValues | null,
    offset?: number,
  ) => RawBuilder<unknown>;
}

interface Listed<Schema, Table extends keyof Schema> {
  readonly bounds?: Bounds;
  /** Null if the list is read at once, as by default. */
  readonly ranges?: IndexRanges<Schema, Table> | null;
  /** The turn in which the list is read even if it is read at once: one with others, or its own. By default it needs none. */
  readonly turn?: 'shared' | 'own' | null;
  /** Whether its filter fits nothing: then it is not read. */
  readonly isEmpty?: boolean;
}

/**
 * Whether a row is among the first `count` of several queries together, each a range of an index: so an index that does
 * not begin with the sort columns serves too, reading at most `count` rows per query.
 */
export function isAmongFirst<Schema, Table extends keyof Schema>(
  queries: readonly SelectQueryBuilder<Schema, Table, { id: string }>[],
  keyset: Keyset<string>,
  after: KeyValues | null,
  count: number,
  through: KeyValues | null = null,
): RawBuilder<boolean> {
  const parts = queries.map((query) => sql`select * from (${pageQuery(query, keyset, after, count, through)}) as part`);
  return isAmongRows(sql.join(parts, sql` union all `), keyset, count);
}

/** Whether a row is among the first `count` of some, which have their ids and the columns of the order. */
export function isAmongRows(rows: RawBuilder<unknown>, keyset: Keyset<string>, count: number): RawBuilder<boolean> {
  const ids = sql`(select id from (${rows}) as merged order by ${orderOf(keyset)} ${limitOf(count)})`;
  const id = sql.ref(`${keyset.table}.id`);
  // For a subquery, Postgres would sooner read a table of some thousand rows than look so many up; an array is known first.
  return byDialect({ sqlite: () => sql`${id} in ${ids}`, postgres: () => sql`${id} = any(array${ids})` });
}

/** Order of a union, whose columns belong to no table. */
export const orderOf = ({ columns, order }: Keyset<string>): RawBuilder<unknown> =>
  sql.join(columns.map((column) => (order === 'asc' ? sql.ref(column) : sql`${sql.ref(column)} desc`)));

/** Reads one row more, to see whether a page follows. @throws ServiceError `invalid_parameters` for another cursor */
export async function selectPage<
  Schema,
  Table extends keyof Schema,
  Column extends string,
  Row extends Record<Column, KeyValue>,
>(
  query: SelectQueryBuilder<Schema, Table, Row> | PlacedQuery<Schema, Table, Row>,
  keyset: Keyset<Column>,
  request: PageRequest,
): Promise<Page<Row>> {
  const page = startPage(query, keyset, request);
  return page.pageOf(await wholeOf(page).execute());
}

/** The query of a page that is read at once. */
export const wholeOf = <Schema, Table extends keyof Schema, Row>({
  queryOf,
  bounds,
}: StartedPage<Schema, Table, Row>): SelectQueryBuilder<Schema, Table, Row> => queryOf(bounds.from, bounds.to);

/** A page yet to be read: the query for its rows and one more, and how these become the page. */
export interface StartedPage<Schema, Table extends keyof Schema, Row> {
  readonly keyset: Keyset<string>;
  readonly limit: number;
  /** Bounds of the page, up to the end of the list. */
  readonly bounds: Bounds;
  readonly turn: 'shared' | 'own' | null;
  readonly isEmpty: boolean;
  /** The query of a slice of its list, or of all of it. */
  readonly queryOf: (after: KeyValues | null, through: KeyValues | null) => SelectQueryBuilder<Schema, Table, Row>;
  readonly ranges: IndexRanges<Schema, Table> | null;
  /** All of it as a short read, if it is one. */
  readonly short: ShortRead<BoundValues, Row> | null;
  readonly pageOf: (rows: readonly Row[]) => Page<Row>;
  /** The cursor of the page behind a row. */
  readonly cursorOf: (row: Row) => string;
  readonly cursorAt: (place: KeyValues) => string;
}

/** {@link selectPage} before its query is executed, for those who execute several together (keyset-pages.ts). */
export function startPage<
  Schema,
  Table extends keyof Schema,
  Column extends string,
  Row extends Record<Column, KeyValue>,
>(
  list: ListQuery<Schema, Table, Row> | ShortList<Schema, Table, Row>,
  keyset: Keyset<Column>,
  { cursors, scope, cursor, limit }: PageRequest,
  { bounds = unbounded, ranges = null, turn = null, isEmpty = false }: Listed<Schema, Table> = {},
): StartedPage<Schema, Table, Row> {
  const { to } = bounds;
  const from = cursor === undefined ? bounds.from : openKeysetCursor(cursors, scope, cursor, keyset.columns.length);
  const cursorAt = (place: KeyValues) => cursors.seal(scope, place);
  const cursorOf = (row: Row) => cursorAt(keyset.columns.map((column) => row[column]));
  const queryOf = (behind: KeyValues | null, through: KeyValues | null) =>
    placedQuery('bound' in list ? list.queryOf(list.bound) : list, keyset, behind, limit + 1, through);
  return {
    keyset,
    limit,
    bounds: { from, to },
    turn,
    isEmpty,
    queryOf,
    ranges,
    short: 'bound' in list ? shortPage(list, keyset, { from, to }, limit + 1) : null,
    cursorAt,
    pageOf(rows) {
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      if (rows.length <= limit || last === undefined) return { items, cursor: null };
      return { items, cursor: cursorOf(last) };
    },
    cursorOf,
  };
}

function placedQuery<Schema, Table extends keyof Schema, Row>(
  query: ListQuery<Schema, Table, Row>,
  keyset: Keyset<string>,
  after: KeyValues | null,
  count: number,
  through: KeyValues | null,
): SelectQueryBuilder<Schema, Table, Row> {
  const placed = typeof query === 'function' ? query(after, count, through) : query;
  return pageQuery(placed, keyset, after, count, through);
}

function shortPage<Schema, Table extends keyof Schema, Row>(
  list: ShortList<Schema, Table, Row>,
  keyset: Keyset<string>,
  { from, to }: Bounds,
  count: number,
): ShortRead<BoundValues, Row> {
  const valuesOf = (place: string, values: KeyValues | null) =>
    Object.fromEntries((values ?? []).map((value, at) => [`${place}${at}`, value]));
  const namesOf = (place: string, values: KeyValues | null) => values?.map((_, at) => `${place}${at}`) ?? null;
  const [after, through] = [namesOf('after', from), namesOf('through', to)];
  return {
    name: `${list.name} ${keyset.columns} ${keyset.order} ${after} ${through}`,
    bound: { ...list.bound, count, ...valuesOf('after', from), ...valuesOf('through', to) },
    build(values) {
      const of = (names: readonly string[] | null) => names?.map((each) => values[each] ?? '') ?? null;
      return placedQuery(list.queryOf(values), keyset, of(after), values.count as number, of(through));
    },
  };
}

function openKeysetCursor(cursors: CursorCodec, scope: CursorScope, cursor: string, length: number): KeyValues {
  const opened = cursors.open(scope, cursor);
  if (isKeyValues(opened) && opened.length === length) return opened;
  throw foreignCursor('invalid_parameters');
}

const isKeyValues = (value: unknown): value is KeyValues =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' || typeof entry === 'number');
