/** Lists of one workspace in the order of making, read page by page. */

import { ServiceError } from '../errors.ts';
import type { CursorCodec, CursorScope, Page } from '../paging.ts';

/** The place of a row in the order of making: its time and, where times are equal, its id. */
export interface Place {
  readonly created_at: number;
  readonly id: string;
}

/**
 * One page out of a query that reads one row more than the page has, so that the last page is known as such.
 * @param read reads at most `count` rows that come after `place`
 * @throws ServiceError `invalid_parameters` for a cursor that was not made for this list
 */
export async function readPage<Row extends Place>(
  cursors: CursorCodec,
  scope: CursorScope,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  read: (place: Place | null, count: number) => Promise<Row[]>,
): Promise<Page<Row>> {
  const rows = await read(cursor === undefined ? null : placeOf(cursors, scope, cursor), limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, cursor: more ? cursors.seal(scope, [last.created_at, last.id]) : null };
}

function placeOf(cursors: CursorCodec, scope: CursorScope, cursor: string): Place {
  const opened = cursors.open(scope, cursor) as [number, string] | undefined;
  if (opened === undefined) {
    throw new ServiceError('invalid_parameters', {
      detail: 'cursor was not returned by this list',
      issues: [{ path: ['cursor'], message: 'was not returned by this list' }],
    });
  }
  return { created_at: opened[0], id: opened[1] };
}
