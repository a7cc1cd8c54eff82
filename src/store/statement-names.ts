/** Which statements a pool of Postgres prepares: to plan one takes the server longer than to execute it. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readsAllColumns } from './all-columns.ts';

/** `repeated` ones, or `all`: for few that their indexes serve best however the tables grow. */
export type Prepared = 'repeated' | 'all';

/** Lists of ids make many statements. Those beyond are not prepared. */
const maxNames = 100;

/** Characters: the plan of a long one takes memory on each connection. */
const maxLength = 4_000;

/** With this use a statement is a repeated one. */
const repeatedUse = 3;

/** Statements whose uses are counted. */
const maxCountedStatements = 500;

export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #uses = new LRUCache<string, number>({ max: maxCountedStatements });
  readonly #firstUse: number;

  constructor(prepared: Prepared) {
    this.#firstUse = prepared === 'all' ? 1 : repeatedUse;
  }

  /** @returns undefined for a statement that is not prepared, or not yet */
  of(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= maxNames) return known;
    // With all columns of a table, it fails after a migration has added one.
    if (sql.length > maxLength || readsAllColumns(sql)) return undefined;
    const uses = (this.#uses.get(sql) ?? 0) + 1;
    this.#uses.set(sql, uses);
    if (uses < this.#firstUse) return undefined;
    // Of the text: whatever shares a session with this pool means the same statement by the same name.
    const name = `s${hash('sha256', sql, 'base64url')}`;
    this.#names.set(sql, name);
    return name;
  }
}
