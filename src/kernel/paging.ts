/**
 * Pages and connections. A provider's list is read page by page, with one cursor per page; a Relay connection has a
 * cursor on every edge. A position bridges the two: the cursor of a page, and an offset in that page. Resuming from a
 * position is exact, because a cursor marks a place in the list, and `limit` only sets how many items are read from
 * there.
 *
 * On the embedded backend, cursors are sealed twice. The port seals the network's cursor, because the REST face and
 * other gateways hand it to their callers, and connections seal it again together with an offset. A port cannot know
 * which face reads, and an upstream's cursors are opaque: one format for both would tie the faces to a backend.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** One page of a list as a port returns it. `cursor` marks the next page; null on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** A place between two items: `offset` items after the place that `cursor` marks. A null cursor is the start. */
export interface Position {
  readonly cursor: string | null;
  readonly offset: number;
}

export const startOfList: Position = { cursor: null, offset: 0 };

interface Item<T> {
  readonly node: T;
  /** The position after it. */
  readonly after: Position;
}

/** Consecutive items of a list, each with the position after it. */
export interface Window<T> {
  readonly items: readonly Item<T>[];
  readonly hasNextPage: boolean;
  /** Where to resume; null if nothing was read and no page follows. */
  readonly end: Position | null;
}

/**
 * Largest number of loads for one window. Two are enough to read `first` items across the end of a page. A provider
 * that sends short pages may need more, and one that only sends empty pages must not keep a request forever.
 */
const maxLoads = 4;

/**
 * Reads `first` items, starting at `from`, or fewer if `maxLoads` pages have no more.
 * @param load reads one page from a cursor; `limit` is 1 to `maxLimit`. The page may be longer than `limit` (see
 *   loaders.ts): the rest of it is not used.
 */
export async function readWindow<T>(
  load: (cursor: string | null, limit: number) => Promise<Page<T>>,
  { first, from, maxLimit }: { readonly first: number; readonly from: Position; readonly maxLimit: number },
): Promise<Window<T>> {
  const items: Item<T>[] = [];
  let at = from;
  let more = true;
  for (let loads = 0; loads < maxLoads && more && items.length < first; loads += 1) {
    const page = await load(at.cursor, limitAt(at, { wanted: first - items.length, maxLimit }));
    ({ at, more } = take(page, at, first, items));
  }
  return { items, hasNextPage: more, end: items.at(-1)?.after ?? (more ? at : null) };
}

/**
 * The same window over one page that was read already.
 * @returns null if the window needs another page
 */
export function windowOfPage<T>(
  page: Page<T>,
  { first, from }: { readonly first: number; readonly from: Position },
): Window<T> | null {
  const items: Item<T>[] = [];
  const { at, more } = take(page, from, first, items);
  if (more && items.length < first) return null;
  return { items, hasNextPage: more, end: items.at(-1)?.after ?? (more ? at : null) };
}

/** For each place in a list, the longest of the pages that begin there: it serves those that want fewer items, too. */
export function longestPages<Page extends { readonly limit: number }>(
  pages: Iterable<Page>,
  placeOf: (page: Page) => string,
): ReadonlyMap<string, Page> {
  const longest = new Map<string, Page>();
  for (const page of pages) {
    const place = placeOf(page);
    if (page.limit > (longest.get(place)?.limit ?? 0)) longest.set(place, page);
  }
  return longest;
}

/** How many items to ask for, of a page that a window of `wanted` items begins in. */
export const limitAt = (
  { offset }: Position,
  { wanted, maxLimit }: { readonly wanted: number; readonly maxLimit: number },
): number => Math.min(maxLimit, offset + wanted);

/** Adds the items of a page, up to `first` in all. @returns where the window goes on, and whether there is more */
function take<T>(page: Page<T>, at: Position, first: number, items: Item<T>[]): { at: Position; more: boolean } {
  const { cursor, offset } = at;
  const end = Math.min(page.items.length, offset + first - items.length);
  for (const [index, node] of page.items.slice(offset, end).entries()) {
    const next = offset + index + 1;
    const last = next === page.items.length && page.cursor !== null;
    items.push({ node, after: last ? { cursor: page.cursor, offset: 0 } : { cursor, offset: next } });
  }
  return {
    // The page may have become shorter since the position was created. Then the items after it are on the next pages.
    at: end >= page.items.length ? { cursor: page.cursor, offset: 0 } : at,
    more: end < page.items.length || page.cursor !== null,
  };
}

/** Turns the payload of a cursor into opaque text for callers, and back. */
export interface CursorCodec {
  /** The text of a cursor. Only {@link CursorCodec.open} with the same `scope` reads it. */
  seal(scope: CursorScope, payload: unknown): string;
  /** The payload of a cursor; undefined if it was forged, altered or sealed with another scope. */
  open(scope: CursorScope, text: string): unknown;
}

/** What a cursor is bound to: the kind of list, its owner and the arguments that select it. */
export type CursorScope = readonly (string | boolean | null | undefined)[];

/** A filter as part of a {@link CursorScope}: the values that an item may have, in whatever order. Empty without a filter. */
export const anyOf = (values: readonly string[] | undefined): string => [...new Set(values)].sort().join();

const macLength = 16;

/**
 * Cursors as opaque text: an HMAC-SHA256 over scope and payload, truncated to 16 bytes (RFC 2104, section 5), then the
 * payload.
 * @param key makes the cursors
 * @param encoding `base64` if clients of the contract check for it, `base64url` if a cursor may become part of a link
 * @param previous keys whose cursors are still good
 */
export function cursorCodec(
  key: Uint8Array,
  encoding: 'base64' | 'base64url',
  previous: readonly Uint8Array[] = [],
): CursorCodec {
  const current = createSecretKey(key);
  const keys = [current, ...previous.map((each) => createSecretKey(each))];
  const mac = (secret: KeyObject, scope: CursorScope, body: Buffer) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(scope))
      .update('\0')
      .update(body)
      .digest()
      .subarray(0, macLength);
  return {
    seal(scope, payload) {
      const body = Buffer.from(JSON.stringify(payload));
      return Buffer.concat([mac(current, scope, body), body]).toString(encoding);
    },
    open(scope, text) {
      const bytes = Buffer.from(text, encoding);
      // Buffer ignores characters that are not base64. Only the canonical spelling of a cursor is valid.
      if (bytes.length <= macLength || bytes.toString(encoding) !== text) return undefined;
      const body = bytes.subarray(macLength);
      const given = bytes.subarray(0, macLength);
      const isOurs = keys.some((secret) => timingSafeEqual(mac(secret, scope, body), given));
      return isOurs ? JSON.parse(body.toString()) : undefined;
    },
  };
}
