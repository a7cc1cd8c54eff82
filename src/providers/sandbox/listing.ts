/** Common to the post lists of both networks: identifier tables and paging. */
import { type ErrorName, ServiceError } from '../../kernel/errors.ts';
import type { NetworkPage, PostQuery } from '../provider.ts';
import { delay } from './delay.ts';

export interface FailingRow {
  readonly description: string;
  readonly fails: ErrorName;
  readonly detail: string;
}

/** The common part of the rows of identifiers that have posts. */
export interface IdentifierRow {
  readonly description: string;
  /** 1 to 31, unique among the owners of posts on one network. */
  readonly serial: number;
  readonly posts: number;
  readonly delayMs?: number;
  /** Pages beyond this many posts fail with `errors/provider_error`. */
  readonly failsFrom?: number;
}

/** @param whose such as `A private user` */
export const failing = <Name extends ErrorName>(fails: Name, detail: string, whose?: string) => ({
  description: `${whose === undefined ? '' : `${whose}: `}errors/${fails}.`,
  fails,
  detail,
});

/** For an identifier that is no user or company of the network. */
export const invalidRecipient = (detail: string) => new ServiceError('invalid_recipient', { detail });

export const failureOf = ({ fails, detail }: FailingRow) => new ServiceError(fails, { detail });

/** @throws ServiceError with the error of the row, if it has one */
export function requireListable<Row extends IdentifierRow>(row: Row | FailingRow): Row {
  if ('fails' in row) throw failureOf(row);
  return row;
}

/**
 * One page of a row's posts. The cursor is a position (`p:100`), so pages of any size add up to the same list.
 * @throws ServiceError `unprocessable_entity` for a foreign cursor, `provider_error` beyond `failsFrom`,
 * `request_timeout`
 */
export async function listingPage<Post>(
  row: IdentifierRow,
  { cursor, limit }: PostQuery,
  signal: AbortSignal,
  postAt: (index: number) => Post,
): Promise<NetworkPage<Post>> {
  const start = positionOf(cursor, row.posts);
  const end = Math.min(start + limit, row.posts);
  if (row.delayMs !== undefined) await delay(row.delayMs, signal);
  if (row.failsFrom !== undefined && end > row.failsFrom) {
    throw new ServiceError('provider_error', {
      detail: 'The network failed while reading the next posts. Try again later.',
    });
  }
  const items: Post[] = [];
  for (let index = start; index < end; index++) items.push(postAt(index));
  return { items, cursor: end < row.posts ? `p:${end}` : null };
}

/** No page has a cursor to the start or beyond the end of its list, so neither is accepted. */
function positionOf(cursor: string | null, posts: number): number {
  if (cursor === null) return 0;
  const position = /^p:[1-9]\d{0,5}$/.test(cursor) ? Number(cursor.slice(2)) : posts;
  if (position < posts) return position;
  throw new ServiceError('unprocessable_entity', {
    detail:
      'The cursor does not belong to this list: pass the cursor of the previous page, or none for the first page.',
  });
}
