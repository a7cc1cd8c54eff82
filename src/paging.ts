/**
 * Pages and connections. A provider's list is read page by page, with one cursor a page; a Relay connection has a cursor
 * on every edge. A position joins the two: the cursor of a page and how many of its items lie behind. Reading on from a
 * position is exact, as a cursor names a place in the list and `limit` only says how many items to read from there.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** One page of a list as a port returns it. `cursor` is the position of the next page, null on the last one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** A place between two items: `offset` items behind the place that `cursor` names (null: the start of the list). */
export interface Position {
  readonly cursor: string | null;
  readonly offset: number;
}

export const startOfList: Position = { cursor: null, offset: 0 };

/** Some consecutive items of a list, each with the position right after it. */
export interface Window<T> {
  readonly items: readonly { readonly node: T; readonly after: Position }[];
  readonly hasNextPage: boolean;
  /** Where to read on; null where nothing was read, so that there is no position to name. */
  readonly end: Position | null;
}

/**
 * Loads of one window at the most. Two are needed to read `first` items across the end of a page; a provider whose pages
 * come short may need more, and one that sends empty pages for ever gets no further.
 */
const maxLoads = 4;

/**
 * Reads `first` items from `from` on.
 * @param load reads one page of at most `limit` items, 1 to `maxLimit`
 */
export async function readWindow<T>(
  load: (cursor: string | null, limit: number) => Promise<Page<T>>,
  { first, from, maxLimit }: { readonly first: number; readonly from: Position; readonly maxLimit: number },
): Promise<Window<T>> {
  const items: { node: T; after: Position }[] = [];
  let at = from;
  let more = true;
  for (let loads = 0; loads < maxLoads && more && items.length < first; loads += 1) {
    const page = await load(at.cursor, Math.min(maxLimit, at.offset + first - items.length));
    const end = Math.min(page.items.length, at.offset + first - items.length);
    for (let index = at.offset; index < end; index += 1) {
      const last = index === page.items.length - 1 && page.cursor !== null;
      const after = last ? { cursor: page.cursor, offset: 0 } : { cursor: at.cursor, offset: index + 1 };
      items.push({ node: page.items[index] as T, after });
    }
    more = end < page.items.length || page.cursor !== null;
    // A page may be shorter now than when the position was made; what lies behind it is then on the pages that follow.
    if (end >= page.items.length) at = { cursor: page.cursor, offset: 0 };
  }
  return { items, hasNextPage: more, end: items.at(-1)?.after ?? (more ? at : null) };
}

/** Turns positions into the opaque text that callers hold, and back. */
export interface CursorCodec {
  /** Makes the text of a cursor that only {@link CursorCodec.open} with the same `scope` reads. */
  seal(scope: CursorScope, payload: unknown): string;
  /** The payload of a cursor; undefined where it was forged, cut, or made for another scope. */
  open(scope: CursorScope, text: string): unknown;
}

/** What a cursor is bound to: the kind of list, whose it is, and the arguments that chose it. */
export type CursorScope = readonly (string | boolean | null | undefined)[];

const macLength = 16;

/**
 * Cursors as opaque text: a truncated HMAC-SHA256 over scope and payload, then the payload. `encoding` is `base64` where
 * clients of the contract check for it, `base64url` where a cursor may end up in a link.
 */
export function cursorCodec(key: Uint8Array, encoding: 'base64' | 'base64url'): CursorCodec {
  const secret = createSecretKey(key);
  const mac = (scope: CursorScope, body: Buffer) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(scope))
      .update('\0')
      .update(body)
      .digest()
      .subarray(0, macLength);
  return {
    seal(scope, payload) {
      const body = Buffer.from(JSON.stringify(payload));
      return Buffer.concat([mac(scope, body), body]).toString(encoding);
    },
    open(scope, text) {
      const bytes = Buffer.from(text, encoding);
      // Buffer skips what is not base64: only the one canonical spelling of a cursor counts.
      if (bytes.length <= macLength || bytes.toString(encoding) !== text) return undefined;
      const body = bytes.subarray(macLength);
      return timingSafeEqual(mac(scope, body), bytes.subarray(0, macLength)) ? JSON.parse(body.toString()) : undefined;
    },
  };
}
