/**
 * Pages and connections. Providers have a cursor per page, Relay one per edge: a position bridges them, as a page's
 * cursor and an offset. It is exact, as a cursor marks a place and `limit` only sets how many items are read from
 * there.
 *
 * In embedded mode cursors are sealed twice, by the port (REST and other gateways hand them out) and by
 * connections with an offset. One format would tie the faces to a backend, as an upstream's cursors are opaque.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from './errors.ts';
import { SmallMap } from './lib/small-map.ts';

/** `cursor` marks the next page; null on the last. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

/** Size of a list. */
export interface ListSize {
  readonly count: number;
  /** False where counting ended at a bound: the list has at least so many. */
  readonly isExact: boolean;
}

/** `offset` items after the place of `cursor`; a null cursor is the start. */
export interface Position {
  readonly cursor: string | null;
  readonly offset: number;
}

export const startOfList: Position = { cursor: null, offset: 0 };

export interface Window<T> {
  readonly items: readonly T[];
  /** The place after the item at an index. Not kept for each item: few are asked for. */
  readonly after: (index: number) => Position;
  readonly hasNextPage: boolean;
  /** Null if nothing was read and no page follows. */
  readonly end: Position | null;
}

/** Loads for one window. Two read across the end of a page; empty pages must not go on forever. */
const maxLoads = 4;

/**
 * Fewer than `first` items if {@link maxLoads} pages have no more. None are wanted with 0: one is read all the same, as it
 * tells whether there is any. @param load cuts a page longer than `limit`
 */
export async function readWindow<T>(
  load: (cursor: string | null, limit: number) => Promise<Page<T>>,
  { first, from, maxLimit }: { readonly first: number; readonly from: Position; readonly maxLimit: number },
): Promise<Window<T>> {
  const window = new WindowOfPages<T>(from);
  let loads = 0;
  do {
    const { place } = window;
    const wanted = first - window.items.length;
    window.add(await load(place.cursor, limitAt(place, { wanted, maxLimit })), wanted);
    loads += 1;
  } while (loads < maxLoads && window.hasNextPage && window.items.length < first);
  return window;
}

export function windowOfPage<T>(
  page: Page<T>,
  { first, from }: { readonly first: number; readonly from: Position },
): Window<T> | null {
  const window = new WindowOfPages<T>(from);
  window.add(page, first);
  return window.hasNextPage && window.items.length < first ? null : window;
}

class WindowOfPages<T> implements Window<T> {
  items: readonly T[] = [];
  hasNextPage = true;
  /** From where the next page goes on. */
  place: Position;
  readonly #parts: { readonly page: Page<T>; readonly from: Position; readonly end: number }[] = [];

  constructor(from: Position) {
    this.place = from;
  }

  /** @param page of which the items at {@link place} follow. @param wanted at most */
  add(page: Page<T>, wanted: number): void {
    const from = this.place;
    const until = Math.min(page.items.length, from.offset + wanted);
    const items = page.items.slice(from.offset, until);
    this.items = this.items.length === 0 ? items : [...this.items, ...items];
    this.#parts.push({ page, from, end: this.items.length });
    // A page that became shorter since: the items after it are on the next pages.
    if (until >= page.items.length) this.place = { cursor: page.cursor, offset: 0 };
    this.hasNextPage = until < page.items.length || page.cursor !== null;
  }

  after(index: number): Position {
    let start = 0;
    for (const { page, from, end } of this.#parts) {
      const offset = from.offset + index - start + 1;
      if (index < end) {
        const isLast = offset === page.items.length && page.cursor !== null;
        return isLast ? { cursor: page.cursor, offset: 0 } : { cursor: from.cursor, offset };
      }
      start = end;
    }
    throw new RangeError(`The window has no item ${index}`);
  }

  get end(): Position | null {
    if (this.items.length > 0) return this.after(this.items.length - 1);
    return this.hasNextPage ? this.place : null;
  }
}

/** The longest page for each place in a list: it serves those that want fewer items, too. */
export function longestPages<Page extends { readonly limit: number }>(
  pages: Iterable<Page>,
  placeOf: (page: Page) => string,
): SmallMap<Page> {
  const longest = new SmallMap<Page>();
  for (const page of pages) {
    const place = placeOf(page);
    if (page.limit > (longest.get(place)?.limit ?? 0)) longest.set(place, page);
  }
  return longest;
}

/** Reads {@link longestPages}. @returns in the order of the requests: an error for each that cannot be read */
export function readLongest<Request extends { readonly limit: number }, Read>(
  requests: readonly Request[],
  placeOf: (request: Request) => string,
  read: (request: Request) => Promise<Read>,
): Promise<(Read | Error)[]> {
  const reads = new SmallMap<Promise<Read | Error>>();
  for (const page of longestPages(requests, placeOf).values())
    reads.set(
      placeOf(page),
      read(page).catch((error: Error) => error),
    );
  return Promise.all(requests.map((page) => reads.get(placeOf(page)) ?? new Error('No read was made for a page')));
}

export const limitAt = (
  { offset }: Position,
  { wanted, maxLimit }: { readonly wanted: number; readonly maxLimit: number },
): number => Math.min(maxLimit, offset + Math.max(1, wanted));

export type CursorCodec = ReturnType<typeof cursorCodec>;

/** @param name of the error, as the contract has it for the list */
export const foreignCursor = (name: 'invalid_parameters' | 'unprocessable_entity'): ServiceError =>
  new ServiceError(name, {
    detail: 'cursor was not returned by this list',
    issues: [{ path: ['cursor'], code: 'malformed', message: 'was not returned by this list' }],
  });

export type CursorScope = readonly (string | boolean | null | undefined)[];

/** A filter's values as part of a {@link CursorScope}, in any order; null for none, which no item has. */
export const anyOf = (values: readonly string[] | undefined): string | null =>
  values?.length === 0 ? null : [...new Set(values)].sort().join();

/** Whether a filter has an empty list of values: one that is left out stands for all. */
export const fitsNothing = (filter: object): boolean =>
  Object.values(filter).some((values) => Array.isArray(values) && values.length === 0);

const macLength = 16;

/**
 * HMAC-SHA256 over scope and payload, truncated to 16 bytes (RFC 2104, section 5), then the payload.
 * @param encoding `base64` if clients of the contract check for it, `base64url` for links
 * @param previous keys whose cursors are still good
 */
export function cursorCodec(key: Uint8Array, encoding: 'base64' | 'base64url', previous: readonly Uint8Array[] = []) {
  const current = hmacSha256(key);
  const keys = [current, ...previous.map(hmacSha256)];
  const mac = (sign: typeof current, scope: CursorScope, body: Buffer) =>
    sign(Buffer.from(`${JSON.stringify(scope)}\0`), body).subarray(0, macLength);
  return {
    seal(scope: CursorScope, payload: unknown): string {
      const body = Buffer.from(JSON.stringify(payload));
      return Buffer.concat([mac(current, scope, body), body]).toString(encoding);
    },
    /** Undefined for a cursor that was forged, altered or sealed with another scope. */
    open(scope: CursorScope, text: string): unknown {
      const bytes = Buffer.from(text, encoding);
      // Buffer ignores other characters: only the canonical spelling is valid.
      if (bytes.length <= macLength || bytes.toString(encoding) !== text) return undefined;
      const body = bytes.subarray(macLength);
      const given = bytes.subarray(0, macLength);
      const isOurs = keys.some((sign) => timingSafeEqual(mac(sign, scope, body), given));
      return isOurs ? JSON.parse(body.toString()) : undefined;
    },
  };
}

/** Block of SHA-256. */
const blockBytes = 64;
const digestBytes = 32;

/**
 * HMAC-SHA256 (RFC 2104) of the parts together, 32 bytes. `createHmac` takes twice as long for a short text, and leaves an
 * object outside of the heap to collect. @param key of at most 64 bytes. @throws RangeError for a longer one
 */
export function hmacSha256(key: Uint8Array): (...parts: readonly Uint8Array[]) => Buffer {
  if (key.length > blockBytes) throw new RangeError(`A key has at most ${blockBytes} bytes`);
  const inner = Buffer.alloc(blockBytes, 0x36);
  const outer = Buffer.alloc(blockBytes + digestBytes, 0x5c);
  for (const [at, byte] of key.entries()) {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  return (...parts) => {
    outer.write(hash('sha256', Buffer.concat([inner, ...parts]), 'hex'), blockBytes, 'hex');
    return Buffer.from(hash('sha256', outer, 'hex'), 'hex');
  };
}
