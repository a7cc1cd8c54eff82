/**
 * Keyset pagination: a page starts after the last row of the page before, found by the values that the list is sorted by.
 * Unlike an offset, it neither skips nor repeats a row when others are added or deleted, and it is one range of an index.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { ServiceError } from '../kernel/errors.ts';
import type { CursorCodec, CursorScope, Page } from '../kernel/paging.ts';

type KeyValue = string | number;

/** How a list is sorted. Together, the values of `columns` identify a row. */
export interface Keyset<Column extends string> {
  /** The table of the columns, as the query names it. */
  readonly table: string;
  readonly columns: readonly Column[];
  readonly order: 'asc' | 'desc';
}

/** The order in which the rows of a table were created; the id decides where times are equal. */
export const byCreation = (table: string, order: 'asc' | 'desc'): Keyset<'created_at' | 'id'> => ({
  table,
  columns: ['created_at', 'id'],
  order,
});

export interface PageRequest {
  readonly cursors: CursorCodec;
  /** What the cursor is bound to: the list and its filters. */
  readonly scope: CursorScope;
  readonly cursor?: string | undefined;
  /** Rows of the page. */
  readonly limit: number;
}

/**
 * The first `count` rows of `query` in the order of `keyset`, or the first after a row.
 * @param after the values of the columns in that row
 */
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
  // A comparison of row values is one range of an index, which `a > x or (a = x and b > y)` is not.
  return page.where(sql<boolean>`(${sql.join(keys)}) ${order === 'asc' ? sql`>` : sql`<`} (${sql.join(after)})`);
}

export type PlacedQuery<Schema, Table extends keyof Schema, Row> = (
  after: readonly KeyValue[] | null,
  count: number,
) => SelectQueryBuilder<Schema, Table, Row>;

/**
 * The first `count` rows of several queries together, each of which is a range of an index: an index that does not begin with
 * the columns of the order serves as well, as no more than `count` rows of each are read.
 * @returns a query for the ids of the rows
 */
export function mergedIds<Schema, Table extends keyof Schema>(
  queries: readonly SelectQueryBuilder<Schema, Table, { id: string }>[],
  keyset: Keyset<string>,
  after: readonly KeyValue[] | null,
  count: number,
): RawBuilder<string> {
  const order = sql.join(
    keyset.columns.map((column) => (keyset.order === 'asc' ? sql`${sql.ref(column)}` : sql`${sql.ref(column)} desc`)),
  );
  const parts = queries.map((query) => sql`select * from (${pageQuery(query, keyset, after, count)}) as part`);
  return sql`(select id from (${sql.join(parts, sql` union all `)}) as merged order by ${order} limit ${count})`;
}

/**
 * One page of `query` in the order of `keyset`. It reads one row more than the page has, which shows whether a further
 * page exists.
 * @param query also as a function of the place behind which the page begins, and of the rows to read
 * @throws ServiceError `invalid_parameters` when the cursor was not issued for this list
 */
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

/** A page that is yet to be read: the query for its rows and one more, and what the page is with these. */
export interface StartedPage<Schema, Table extends keyof Schema, Row> {
  readonly query: SelectQueryBuilder<Schema, Table, Row>;
  readonly pageOf: (rows: readonly Row[]) => Page<Row>;
  /** The cursor of the page that begins behind a row. */
  readonly cursorOf: (row: Row) => string;
}

/** {@link selectPage} before its query is executed, for whoever executes several together: see keyset-pages.ts. */
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
  const after = cursor === undefined ? null : openCursor(cursors, scope, cursor, keyset.columns.length);
  const cursorOf = (row: Row) =>
    cursors.seal(
      scope,
      keyset.columns.map((column) => row[column]),
    );
  const placed = typeof query === 'function' ? query(after, limit + 1) : query;
  return {
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

function openCursor(cursors: CursorCodec, scope: CursorScope, cursor: string, length: number): readonly KeyValue[] {
  const opened = cursors.open(scope, cursor);
  if (isKey(opened) && opened.length === length) return opened;
  throw new ServiceError('invalid_parameters', {
    detail: 'cursor was not returned by this list',
    issues: [{ path: ['cursor'], message: 'was not returned by this list' }],
  });
}

const isKey = (value: unknown): value is readonly KeyValue[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' || typeof entry === 'number');
