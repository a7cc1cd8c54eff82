/**
 * Reads of a page or a few rows by an index. Kysely takes longer to build and compile such a statement than a database to execute it, so
 * each text is compiled once. To hand it over takes longer, too: SQLite has the caller's thread execute it, Postgres gets several at once.
 */
import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Reach } from '../kernel/caller.ts';
import { isPostgres } from './is-postgres.ts';
import { maxListed } from './query-compilers.ts';
import type { Tables } from './schema.ts';

/** What a statement binds: it has the same text for any of these values. */
export type BoundValues = Readonly<Record<string, string | number>>;

export interface ShortRead<Bound extends BoundValues, Row> {
  /** Of one text: what the text depends on besides the database is in the name. */
  readonly name: string;
  readonly bound: Bound;
  readonly build: (bound: Bound) => Compilable<Row>;
}

/** Numbers of ids, and states of filters, are part of names, and callers choose them. */
const keptTexts = 500;

/** By database and name. Each parameter is a constant of the text, or the symbol of a value that is bound. */
const compiled = new LRUCache<string, CompiledQuery>({ max: keptTexts });

/** Code that would compute with a value, in place of binding it, throws a TypeError for a symbol. */
const placeholders: Record<string, symbol> = {};
const placeholderOf = (name: string): symbol => (placeholders[name] ??= Symbol(name));

/** A statement as the drivers are to take it. */
export interface MarkedQuery extends CompiledQuery {
  readonly isShort?: boolean;
  /** Outside of a transaction, the whole change of a request: its outcome is unknown if the connection is lost. */
  readonly isChange?: boolean;
}

/** @returns the rows of the statement; within a transaction, as it sees them */
export async function shortRead<Bound extends BoundValues, Row>(
  database: Kysely<Tables>,
  { name, bound, build }: ShortRead<Bound, Row>,
): Promise<Row[]> {
  const text = `${isPostgres(database) ? 'Postgres' : 'SQLite'} ${name}`;
  let query = compiled.get(text);
  if (query === undefined) {
    const symbols = Object.keys(bound).map((key) => [key, placeholderOf(key)]);
    // Whoever builds the statement only hands its values on.
    query = build(Object.fromEntries(symbols)).compile();
    compiled.set(text, query);
  }
  const parameters = query.parameters.map((value) =>
    typeof value === 'symbol' ? bound[value.description ?? ''] : value,
  );
  const short: MarkedQuery = { ...query, parameters, isShort: true };
  const { rows } = await database.getExecutor().executeQuery<Row>(short);
  return rows;
}

/** Of all accounts. Statements are built for it alone, so that they have nothing else of a caller. */
export const reachOf = ({ workspaceId }: Pick<Reach, 'workspaceId'>): Reach => ({ workspaceId, accountIds: null });

/** Rows by ids: {@link shortRead} for a few, whose statement has a parameter for each, and a key of all accounts. */
export function shortReadByIds<Row>(
  database: Kysely<Tables>,
  name: string,
  ids: readonly string[],
  reach: Reach,
  build: (reach: Reach, ids: readonly string[]) => Compilable<Row> & { execute(): Promise<Row[]> },
): Promise<Row[]> {
  if (reach.accountIds !== null || ids.length > maxListed) return build(reach, ids).execute();
  const bound: BoundValues & Pick<Reach, 'workspaceId'> = {
    ...Object.fromEntries(ids.map((id, at) => [`id${at}`, id])),
    workspaceId: reach.workspaceId,
  };
  return shortRead(database, {
    name: `${name} ${ids.length}`,
    bound,
    build: ({ workspaceId, ...rest }) => build(reachOf({ workspaceId }), Object.values(rest) as string[]),
  });
}
