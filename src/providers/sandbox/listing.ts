/** What the lists of both networks share: the rows of their identifier tables, and paging. */
import { type ErrorName, ServiceError } from '../../errors.ts';
import type { NetworkPage, PostQuery } from '../provider.ts';
import { wait } from './delay.ts';

/** An identifier whose posts cannot be listed. */
export interface FailingRow {
  readonly description: string;
  readonly fails: ErrorName;
  /** What callers are told. */
  readonly detail: string;
}

/** What the rows of identifiers with posts have in common. */
export interface ListedRow {
  readonly description: string;
  /** Tells the owners of posts apart: 1 to 31, a different one for each owner of a network. */
  readonly serial: number;
  readonly posts: number;
  /** How long a page takes. */
  readonly delayMs?: number;
  /** A page that would need this position, or one behind it, fails with `errors/provider_error`. */
  readonly failsFrom?: number;
}

/** `errors/invalid_recipient`: the identifier is no user or company of the network, and why. */
export const invalidRecipient = (detail: string) => new ServiceError('invalid_recipient', { detail });

/** Throws the error of a row that has one. */
export function requireListed<Row extends ListedRow>(row: Row | FailingRow): Row {
  if ('fails' in row) throw new ServiceError(row.fails, { detail: row.detail });
  return row;
}

/**
 * One page of a row's posts. The cursor names the position of the next page (`p:100`), so pages of any size put
 * together are the same list.
 */
export async function pageOf<Post>(
  row: ListedRow,
  { cursor, limit }: PostQuery,
  signal: AbortSignal,
  postAt: (index: number) => Post,
): Promise<NetworkPage<Post>> {
  const start = positionOf(cursor, row.posts);
  const end = Math.min(start + limit, row.posts);
  if (row.delayMs !== undefined) await wait(row.delayMs, signal);
  if (row.failsFrom !== undefined && end > row.failsFrom) {
    throw new ServiceError('provider_error', {
      detail: 'The network failed while it read the next posts. Try again later.',
    });
  }
  const items: Post[] = [];
  for (let index = start; index < end; index++) items.push(postAt(index));
  return { items, cursor: end < row.posts ? `p:${end}` : null };
}

/** A list hands out no cursor to its beginning or behind its end, so it takes none. */
function positionOf(cursor: string | null, posts: number): number {
  if (cursor === null) return 0;
  const position = /^p:[1-9]\d{0,5}$/.test(cursor) ? Number(cursor.slice(2)) : posts;
  if (position < posts) return position;
  throw new ServiceError('unprocessable_entity', {
    detail: 'The cursor is not one of this list: pass the cursor of the page before, or none for the first page.',
  });
}
