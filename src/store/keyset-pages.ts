/** Pages or sizes of several lists with one statement, so that nested lists cost no statement each. */
import { type CompiledQuery, type SelectQueryBuilder, sql } from 'kysely';
import { parts } from '../kernel/lib/parts.ts';
import type { Page } from '../kernel/paging.ts';
import { maxTotalCount } from '../kernel/validation.ts';
import type { Database } from './database.ts';
import { type Keyset, orderOf, type StartedPage } from './keyset.ts';
import { readTogether } from './reads.ts';

/** SQLite takes 500 selects in a UNION ALL and 32,766 parameters, among them a limited key's accounts per select. */
const statementLimits = { items: 25, weight: 30_000 } as const;

/** One statement for those of one order. @returns in the order of the pages */
export async function selectPages<Schema, Table extends keyof Schema, Row>(
  database: Database,
  pages: readonly StartedPage<Schema, Table, Row>[],
): Promise<Page<Row>[]> {
  const read = new Map<StartedPage<Schema, Table, Row>, Page<Row>>();
  for (const [keyset, ofOrder] of Map.groupBy(pages, (page) => page.keyset)) {
    for (const some of statementsOf(ofOrder, ({ query }) => query)) {
      const queries = some.map(({ query }) => query);
      const rows = await rowsOf(database, queries, keyset);
      for (const [place, page] of some.entries()) read.set(page, page.pageOf(rows[place] ?? []));
    }
  }
  return pages.map((page) => read.get(page) ?? { items: [], cursor: null });
}

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

/** Sizes of the lists with these filters, read together. Counting ends at {@link maxTotalCount}. */
export const countLists = <Filter, Schema, Table extends keyof Schema>(
  database: Database,
  filters: readonly Filter[],
  queryOf: (filter: Filter) => SelectQueryBuilder<Schema, Table, { id: string }>,
): Promise<(number | Error)[]> => readTogether(filters, queryOf, (queries) => countRows(database, queries));

/** In the order of the queries. */
async function countRows<Schema, Table extends keyof Schema>(
  database: Database,
  queries: readonly SelectQueryBuilder<Schema, Table, { id: string }>[],
): Promise<number[]> {
  const counts: number[] = [];
  for (const some of statementsOf(queries, (query) => query)) {
    const parts = some.map(
      (query, place) =>
        sql`select ${sql.lit(place)} as list_place, count(*) as size from (${query.limit(maxTotalCount)}) as part`,
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
