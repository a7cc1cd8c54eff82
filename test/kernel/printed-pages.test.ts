/** Pages that a compiled run prints: what it has read, or failed to read, the resolvers that take over do not read again. */
import { expect, test } from 'vitest';
import type { Page } from '../../src/kernel/paging.ts';
import { printedItems, printedPages } from '../../src/kernel/printed-pages.ts';
import { ReadMemo, type RequestContext } from '../../src/kernel/request-context.ts';
import { requestContext } from '../support/request-context.ts';

interface Request {
  readonly limit: number;
}

const pageOf = (size: number): Page<number> => ({ items: Array.from({ length: size }, (_, n) => n), cursor: null });

const noKeys: ReadonlySet<string> = new Set();

/** One request of a gateway. */
const request = (): RequestContext => ({ ...requestContext('w'), responses: new ReadMemo() });

function setUp(read: (limit: number) => Page<number> | Error = pageOf) {
  const asked: number[][] = [];
  const printed = printedPages<Request, Page<number>>({
    name: 'numbers',
    async lists(_context, requests) {
      asked.push(requests.map(({ limit }) => limit));
      return requests.map(({ limit }) => read(limit));
    },
    isWhole: ({ items }) => items.length < 9,
  });
  return { ...printed, asked };
}

test('pages are printed, together', async () => {
  const { pages, asked } = setUp();
  const read = await pages.read(request(), [{ limit: 1 }, { limit: 2 }], noKeys);
  expect(read).toEqual(['{"items":[0],"cursor":null}', '{"items":[0,1],"cursor":null}']);
  expect(asked).toEqual([[1, 2]]);
});

test('what was read is not read again, and what was not is', async () => {
  const { pages, lists, asked } = setUp();
  const context = request();
  await pages.read(context, [{ limit: 1 }], noKeys);
  expect(await lists(context, [{ limit: 2 }, { limit: 1 }])).toEqual([pageOf(2), pageOf(1)]);
  expect(asked).toEqual([[1], [2]]);
});

test('pages that are not whole are left to whoever has the rest, without another read', async () => {
  const { pages, lists, asked } = setUp();
  const context = request();
  expect(await pages.read(context, [{ limit: 9 }], noKeys)).toBeNull();
  await lists(context, [{ limit: 9 }]);
  expect(asked).toEqual([[9]]);
});

test.each([
  ['of one page', (): Error => new Error('no such list')],
  [
    'of all',
    (): never => {
      throw new Error('the database is gone');
    },
  ],
])('a failure is one for both: %s', async (_what, fail) => {
  const { pages, lists, asked } = setUp(fail);
  const context = request();
  const failure = await pages.read(context, [{ limit: 1 }], noKeys).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  const again = await lists(context, [{ limit: 1 }]).then(
    ([first]) => first,
    (error: unknown) => error,
  );
  expect(again).toBe(failure);
  expect(asked).toEqual([[1]]);
});

test('lists are read each time if nothing was printed before, as between mutations', async () => {
  const { lists, asked } = setUp();
  for (const context of [request(), requestContext('w')]) {
    await lists(context, [{ limit: 1 }]);
    await lists(context, [{ limit: 1 }]);
  }
  expect(asked).toEqual([[1], [1], [1], [1]]);
});

test('an item is a page of one, or of none, and is found once', async () => {
  const asked: (readonly string[])[] = [];
  const { find, found } = printedItems<{ readonly id: string } | null>({
    name: 'things',
    async find(_context, ids) {
      asked.push(ids);
      return ids.map((id) => (id === 'none' ? null : { id }));
    },
  });
  const context = request();
  const read = await found.read(context, ['a', 'none'], noKeys);
  expect(read).toEqual(['{"items":[{"id":"a"}],"cursor":null}', '{"items":[],"cursor":null}']);
  expect(await find(context, ['none', 'a', 'b'])).toEqual([null, { id: 'a' }, { id: 'b' }]);
  expect(asked).toEqual([['a', 'none'], ['b']]);
});
