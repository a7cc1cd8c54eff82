/**
 * Keyset pagination: a page starts behind the sort values of the last row before it. Unlike an offset it neither skips
 * nor repeats rows when others come or go, and is one range of an index.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { type CursorCodec, type CursorScope, foreignCursor, type Page } from '../kernel/paging.ts';
import type { DatabaseKind } from './json.ts';
import { limitOf } from './query-compilers.ts';

type KeyValue = string | number;

/** Sort order of a list. The values of `columns` together identify a row. */
export interface Keyset<Column extends string> {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly order: 'asc' | 'desc';
}

/** Creation order; the id breaks ties. */
export const byCreation = (table: string, order: 'asc' | 'desc'): Keyset<'created_at' | 'id'> => ({
  table,
  columns: ['created_at', 'id'],
  order,
});

/** The keyset of a request's order. @param initial that of a request without one */
export const keysetsOf =
  <Order extends string, Column extends string>(initial: Order, keysets: Readonly<Record<Order, Keyset<Column>>>) =>
  ({ order_by = initial }: { readonly order_by?: Order | undefined }): Keyset<Column> =>
    keysets[order_by];

/** Of a row, in the order of creation. */
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

/** The first `count` rows in the order of `keyset`, or the first behind the row with the values `after`. */
export function pageQuery<Schema, Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  { table, columns, order }: Keyset<string>,
  after: readonly KeyValue[] | null,
  count: number,
): SelectQueryBuilder<Schema, Table, Row> {
  const keys = columns.map((column) => sql.ref<KeyValue>(`${table}.${column}`));
  let page = query.limit(count);
  for (const key of keys) page = page.orderBy(key, order);
  if (after === null) return page;
  // A row comparison is one range of an index; `a > x or (a = x and b > y)` is not.
  return page.where(sql<boolean>`(${sql.join(keys)}) ${order === 'asc' ? sql`>` : sql`<`} (${sql.join(after)})`);
}

type PlacedQuery<Schema, Table extends keyof Schema, Row> = (
  after: readonly KeyValue[] | null,
  count: number,
) => SelectQueryBuilder<Schema, Table, Row>;

/**
 * Whether a row is among the first `count` of several queries together, each a range of an index: so an index that does
 * not begin with the sort columns serves too, reading at most `count` rows per query.
 */
export function isAmongFirst<Schema, Table extends keyof Schema>(
  kind: DatabaseKind,
  queries: readonly SelectQueryBuilder<Schema, Table, { id: string }>[],
  keyset: Keyset<string>,
  after: readonly KeyValue[] | null,
  count: number,
): RawBuilder<boolean> {
  const parts = queries.map((query) => sql`select * from (${pageQuery(query, keyset, after, count)}) as part`);
  const ids = sql`(select id from (${sql.join(parts, sql` union all `)}) as merged order by ${orderOf(keyset)} ${limitOf(count)})`;
  const id = sql.ref(`${keyset.table}.id`);
  // For a subquery, Postgres would sooner read a table of some thousand rows than look so many up; an array is known first.
  return kind === 'postgres' ? sql`${id} = any(array${ids})` : sql`${id} in ${ids}`;
}

/** Of a union, whose columns belong to no table. */
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
  return page.pageOf(await page.query.execute());
}

/** A page yet to be read: the query for its rows and one more, and how these become the page. */
export interface StartedPage<Schema, Table extends keyof Schema, Row> {
  readonly keyset: Keyset<string>;
  readonly query: SelectQueryBuilder<Schema, Table, Row>;
  readonly pageOf: (rows: readonly Row[]) => Page<Row>;
  /** The cursor of the page behind a row. */
  readonly cursorOf: (row: Row) => string;
}

/** {@link selectPage} before its query is executed, for those who execute several together (keyset-pages.ts). */
export function startPage<
  Schema,
  Table extends keyof Schema,
  Column extends string,
  Row extends Record<Column, KeyValue>,
>(
  query: SelectQueryBuilder<Schema, Table, Row> | PlacedQuery<Schema, Table, Row>,
  keyset: Keyset<Column>,
  { cursors, scope, cursor, limit }: PageRequest,
): StartedPage<Schema, Table, Row> {
  const after = cursor === undefined ? null : openKeysetCursor(cursors, scope, cursor, keyset.columns.length);
  const cursorOf = (row: Row) =>
    cursors.seal(
      scope,
      keyset.columns.map((column) => row[column]),
    );
  const placed = typeof query === 'function' ? query(after, limit + 1) : query;
  return {
    keyset,
    query: pageQuery(placed, keyset, after, limit + 1),
    pageOf(rows) {
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      if (rows.length <= limit || last === undefined) return { items, cursor: null };
      return { items, cursor: cursorOf(last) };
    },
    cursorOf,
  };
}

function openKeysetCursor(
  cursors: CursorCodec,
  scope: CursorScope,
  cursor: string,
  length: number,
): readonly KeyValue[] {
  const opened = cursors.open(scope, cursor);
  if (isKeyValues(opened) && opened.length === length) return opened;
  throw foreignCursor('invalid_parameters');
}

const isKeyValues = (value: unknown): value is readonly KeyValue[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' || typeof entry === 'number');
