/** Pages, or sizes, of several lists of one kind with one statement, so that a list behind a list costs no statement for each. */
import { type CompiledQuery, type SelectQueryBuilder, sql } from 'kysely';
import type { Page } from '../kernel/paging.ts';
import type { Database } from './database.ts';
import type { Keyset, StartedPage } from './keyset.ts';

/**
 * What one statement takes: SQLite 500 selects joined by UNION ALL, of which a list may have one for each of a few states, and
 * 32,766 parameters, among them in each select the ids of the accounts that a key is limited to.
 */
const atOnce = { lists: 25, parameters: 30_000 } as const;

/**
 * Several pages, which were started with one keyset.
 * @returns in the order of the pages
 */
export async function selectPages<Schema, Table extends keyof Schema, Row>(
  database: Database,
  pages: readonly StartedPage<Schema, Table, Row>[],
  keyset: Keyset<string>,
): Promise<Page<Row>[]> {
  const read: Page<Row>[] = [];
  for (const some of chunks(pages, ({ query }) => query)) {
    const queries = some.map(({ query }) => query);
    const rows = await rowsOf(database, queries, keyset);
    read.push(...some.map(({ pageOf }, place) => pageOf(rows[place] ?? [])));
  }
  return read;
}

/** The rows of each query, in the order of the keyset. */
async function rowsOf<Schema, Table extends keyof Schema, Row>(
  database: Database,
  queries: readonly SelectQueryBuilder<Schema, Table, Row>[],
  { columns, order }: Keyset<string>,
): Promise<(readonly Row[])[]> {
  const [alone, ...others] = queries;
  if (alone === undefined) return [];
  if (others.length === 0) return [await alone.execute()];
  const parts = queries.map(
    (query, place) => sql`select ${sql.lit(place)} as list_place, part.* from (${query}) as part`,
  );
  const keys = columns.map((column) => (order === 'asc' ? sql`${sql.ref(column)}` : sql`${sql.ref(column)} desc`));
  const { rows } = await sql<Row & { readonly list_place: number }>`
    select * from (${sql.join(parts, sql` union all `)}) as merged order by list_place, ${sql.join(keys)}`.execute(
    database,
  );
  const byPlace = Map.groupBy(rows, (row) => row.list_place);
  return queries.map((_, place) => byPlace.get(place) ?? []);
}

/**
 * Sizes of lists.
 * @param max where counting ends
 * @returns in the order of the queries
 */
export async function countRows<Schema, Table extends keyof Schema>(
  database: Database,
  queries: readonly SelectQueryBuilder<Schema, Table, { id: string }>[],
  max: number,
): Promise<number[]> {
  const counts: number[] = [];
  for (const some of chunks(queries, (query) => query)) {
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

/** The items, divided so that the queries of each part are one statement. */
function* chunks<Item>(
  items: readonly Item[],
  queryOf: (item: Item) => { compile(): CompiledQuery },
): Generator<readonly Item[]> {
  let some: Item[] = [];
  let parameters = 0;
  for (const item of items) {
    const more = items.length === 1 ? 0 : queryOf(item).compile().parameters.length;
    if (some.length === atOnce.lists || (some.length > 0 && parameters + more > atOnce.parameters)) {
      yield some;
      [some, parameters] = [[], 0];
    }
    some.push(item);
    parameters += more;
  }
  if (some.length > 0) yield some;
}
