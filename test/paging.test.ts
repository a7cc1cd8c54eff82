/** Windows over paged lists: no item is lost or repeated, whatever pages a provider sends. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cursorCodec, hmacSha256, type Page, type Position, readWindow, startOfList } from '../src/kernel/paging.ts';

const maxLimit = 100;

/** The pages of a provider in order: how many items more or fewer than requested, or none. */
type Habit =
  | { readonly kind: 'exact' }
  | { readonly kind: 'short' | 'long'; readonly by: number }
  | { readonly kind: 'empty' };

const habit: fc.Arbitrary<Habit> = fc.oneof(
  fc.constant({ kind: 'exact' } as const),
  fc.record({ kind: fc.constantFrom('short' as const, 'long' as const), by: fc.integer({ min: 1, max: 40 }) }),
  fc.constant({ kind: 'empty' } as const),
);

/**
 * A provider of the numbers below `count`. Its cursor names a place in the list, and how it answers there depends on
 * the place alone: `habits` take turns, and after an empty page the next is not empty.
 */
function provider(count: number, habits: readonly Habit[], reads: number[] = []) {
  return async (cursor: string | null, limit: number): Promise<Page<number>> => {
    expect(limit).toBeGreaterThanOrEqual(1);
    expect(limit).toBeLessThanOrEqual(maxLimit);
    const [place = 0, blanks = 0] = cursor === null ? [] : (JSON.parse(cursor) as number[]);
    reads.push(place);
    const now = habits[place % Math.max(1, habits.length)] ?? { kind: 'exact' };
    if (now.kind === 'empty' && blanks === 0) return { items: [], cursor: JSON.stringify([place, 1]) };
    const size = now.kind === 'short' ? Math.min(limit, now.by) : now.kind === 'long' ? limit + now.by : limit;
    const end = Math.min(count, place + size);
    const items = Array.from({ length: end - place }, (_, index) => place + index);
    return { items, cursor: end < count ? JSON.stringify([end, 0]) : null };
  };
}

async function readAll(load: ReturnType<typeof provider>, first: number, from: Position = startOfList) {
  const items: { node: number; after: Position }[] = [];
  let at = from;
  for (;;) {
    const window = await readWindow(load, { first, from: at, maxLimit });
    expect(window.items.length).toBeLessThanOrEqual(first);
    items.push(...window.items.map((node, index) => ({ node, after: window.after(index) })));
    if (!window.hasNextPage) return items;
    if (window.end === null) throw new Error('More is promised, and no place is named to read it from');
    at = window.end;
  }
}

const below = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('readWindow', () => {
  test('reads the same sequence with every page size from 1 to 100', async () => {
    const some = fc.array(habit, { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 250 }), some, async (count, habits) => {
        for (const first of [1, 2, 3, 7, 10, 33, 50, 64, 99, 100]) {
          const read = await readAll(provider(count, habits), first);
          expect(read.map(({ node }) => node)).toEqual(below(count));
        }
      }),
      { numRuns: 60 },
    );
    for (let first = 1; first <= maxLimit; first += 1) {
      const read = await readAll(provider(250, []), first);
      expect(read.map(({ node }) => node)).toEqual(below(250));
    }
  });

  test('resumes exactly after every edge', async () => {
    const sizes = fc.integer({ min: 1, max: maxLimit });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 250 }),
        fc.array(habit, { maxLength: 8 }),
        sizes,
        sizes,
        async (count, habits, first, then) => {
          const load = provider(count, habits);
          for (const { node, after } of await readAll(load, first)) {
            const { items, hasNextPage } = await readWindow(load, { first: then, from: after, maxLimit });
            const rest = below(count).slice(node + 1);
            expect(items).toEqual(rest.slice(0, items.length));
            if (!hasNextPage) expect(items).toHaveLength(rest.length);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('fills a window from as few pages as possible', async () => {
    const reads: number[] = [];
    const load = provider(250, [], reads);
    const window = await readWindow(load, { first: 100, from: startOfList, maxLimit });
    expect(reads).toEqual([0]);
    reads.length = 0;
    await readWindow(load, { first: 100, from: window.after(49), maxLimit });
    expect(reads).toEqual([0, 100]);
    reads.length = 0;
    await readWindow(load, { first: 100, from: window.after(99), maxLimit });
    expect(reads).toEqual([100]);
  });

  test('stops at a provider that only sends empty pages, with the position to resume from', async () => {
    let page = 0;
    const load = async (): Promise<Page<number>> => {
      page += 1;
      return { items: [], cursor: String(page) };
    };
    const window = await readWindow(load, { first: 10, from: startOfList, maxLimit });
    expect(page).toBeLessThanOrEqual(10);
    expect(window).toMatchObject({ items: [], hasNextPage: true, end: { cursor: String(page), offset: 0 } });
  });

  test('resumes after a page that has become shorter than the offset', async () => {
    const load = async (cursor: string | null): Promise<Page<number>> =>
      cursor === null ? { items: [1, 2], cursor: 'b' } : { items: [3, 4], cursor: null };
    const { items, hasNextPage } = await readWindow(load, { first: 5, from: { cursor: null, offset: 4 }, maxLimit });
    expect(items).toEqual([3, 4]);
    expect(hasNextPage).toBe(false);
  });

  test('a failure of a page is the failure of the window', async () => {
    const load = async (): Promise<Page<number>> => {
      throw new Error('down');
    };
    await expect(readWindow(load, { first: 1, from: startOfList, maxLimit })).rejects.toThrow('down');
  });
});

describe.each(['base64', 'base64url'] as const)('cursors in %s', (encoding) => {
  const codec = cursorCodec(new Uint8Array(32).fill(7), encoding);

  test('open to their payload, in their scope only', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.string()), fc.array(fc.string()), (payload, scope, other) => {
        const text = codec.seal(scope, payload);
        expect(codec.open(scope, text)).toEqual(JSON.parse(JSON.stringify(payload)));
        if (JSON.stringify(scope) !== JSON.stringify(other)) expect(codec.open(other, text)).toBeUndefined();
      }),
    );
  });

  test('do not open after any change', () => {
    const text = codec.seal(['posts', 'a'], [null, 5]);
    const foreign = cursorCodec(new Uint8Array(32).fill(8), encoding);
    expect(foreign.open(['posts', 'a'], text)).toBeUndefined();
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === 'A' ? 'B' : 'A';
      expect(codec.open(['posts', 'a'], text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
      expect(codec.open(['posts', 'a'], text.slice(0, at))).toBeUndefined();
      expect(codec.open(['posts', 'a'], `${text.slice(0, at)} ${text.slice(at)}`)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (any) => codec.open([], any) === undefined));
  });
});

test("an HMAC is node:crypto's", () => {
  const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
  fc.assert(
    fc.property(bytes(64), fc.array(bytes(300), { maxLength: 4 }), (key, parts) => {
      const expected = createHmac('sha256', key).update(Buffer.concat(parts)).digest();
      expect(hmacSha256(key)(...parts)).toEqual(expected);
    }),
  );
  expect(() => hmacSha256(new Uint8Array(65))).toThrow(RangeError);
});

test('an HMAC forgets what was signed before', () => {
  const sign = hmacSha256(Buffer.from('key'));
  const [one, other] = [sign(Buffer.from('one')), sign(Buffer.from('other'))];
  expect(sign(Buffer.from('one'))).toEqual(one);
  expect(one).not.toEqual(other);
});
