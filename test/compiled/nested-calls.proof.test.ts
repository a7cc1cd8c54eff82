/**
 * Lists within lists of authors who write in each other's lists: with and without compiled operations the service gets the same calls
 * in the same order, and so the same of them fail where there are too many.
 */
import { expect, test } from 'vitest';
import { seededRandom } from '../support/random.ts';
import { json, pnetPost, postList, type Respond } from '../support/stub.ts';
import { type Served, seen, startBothWays } from './both-ways.ts';

type Random = ReturnType<typeof seededRandom>;

const names = ['A', 'B', 'C', 'D', 'E'];

const personOf = (id: unknown) => ({ ...pnetPost('x').author, id, is_company: id === 'E' });

/** Posts by their list; rarely one that is not compiled. */
const randomLists = (random: Random): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      Array.from({ length: random.int(5) }, (_, at) => {
        if (random.chance(0.02)) return { object: 'Post', provider: 'NEW' };
        const author = random.chance(0.02) ? null : personOf(random.pick(names));
        const reposter = random.chance(0.5) ? { reposted_by: personOf(random.pick(names)) } : {};
        return pnetPost(`${name}${at}`, { author, ...reposter });
      }),
    ]),
  );

const pagesOf =
  (lists: Readonly<Record<string, readonly unknown[]>>): Respond =>
  ({ path }, response) => {
    const { pathname, searchParams } = new URL(path, 'http://service');
    const list = lists[pathname.split('/').at(-2) ?? ''] ?? [];
    const from = Number(searchParams.get('cursor') ?? 0);
    const to = from + Number(searchParams.get('limit'));
    json(response, 200, postList(list.slice(from, to), to < list.length ? String(to) : null));
  };

function randomQuery(random: Random): string {
  const posts = (levels: number, args = ''): string => {
    const first = 1 + random.int(4);
    const pageInfo = random.chance(0.5) ? 'pageInfo { endCursor }' : '';
    return `posts(${args}first: ${first}) { nodes { __typename ... on PnetPost { id ${inner(levels)} } } ${pageInfo} }`;
  };
  const inner = (levels: number): string =>
    levels === 0
      ? ''
      : ['author', 'repostedBy']
          .filter(() => random.chance(0.6))
          .map(
            (field) =>
              `${field} { name one: ${posts(levels - 1)} ${random.chance(0.3) ? `two: ${posts(levels - 1)}` : ''} }`,
          )
          .join(' ');
  const roots = Array.from({ length: 1 + random.int(2) }, (_, at) => {
    const after = random.chance(0.03) ? 'after: "garbage", ' : '';
    return `root${at}: ${posts(4, `accountId: "a1", identifier: "${random.pick(names)}", ${after}`)}`;
  });
  return `{ ${roots.join(' ')} }`;
}

test('if an operation may make 6 calls', async () => {
  const both = await startBothWays(undefined, { GRAPHQL_MAX_COST: '1000000000' }, { upstream: { maxCalls: 6 } });
  const served: Served[] = [];
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = seededRandom(seed);
    both.stub.respond = pagesOf(randomLists(random));
    const query = randomQuery(random);
    const { on, off } = await both.ask({ body: { query } });
    expect(seen(on), `seed ${seed}: ${query}`).toEqual(seen(off));
    served.push(on);
  }
  const compiled = served.filter((each) => each.compiled === 'yes');
  expect(compiled.length).toBeGreaterThan(20);
  expect(compiled.some((each) => each.calls.length > 4)).toBe(true);
});

/** The author of a list of authors is one of them, so that a level asks for what the level above has read. */
test('what is read again comes with the batch that it is asked for in', async () => {
  const by = (author: string) => pnetPost(author, { author: personOf(author) });
  const both = await startBothWays(pagesOf({ R: [by('A')], A: [by('A'), by('C')], C: Array(6).fill(by('C')) }));
  const inner = (first: number, more: string) =>
    `... on PnetPost { author { posts(first: ${first}) { nodes { ${more} } pageInfo { endCursor } } } }`;
  const nodes = inner(2, inner(2, inner(5, '__typename')));
  const query = `{ posts(accountId: "a1", identifier: "R", first: 1) { nodes { ${nodes} } } }`;
  const { on, off } = await both.ask({ body: { query } });
  expect(seen(on)).toEqual(seen(off));
  expect(on.compiled).toBe('yes');
});

test('a list that declines ends the reading of the others', async () => {
  const by = (author: string) => pnetPost(author, { author: personOf(author) });
  const lists = pagesOf({ R: [by('A')], S: [by('A'), { object: 'Post', provider: 'NEW' }], A: Array(6).fill(by('A')) });
  const both = await startBothWays(lists);
  const root = (name: string, of: string, first: number) =>
    `${name}: posts(accountId: "a1", identifier: "${of}", first: 3) {
      nodes { ... on PnetPost { author { posts(first: ${first}) { nodes { __typename } } } } } }`;
  const { on, off } = await both.ask({ body: { query: `{ ${root('a', 'R', 1)} ${root('b', 'S', 5)} }` } });
  expect(seen(on)).toEqual(seen(off));
  expect(on.compiled).toBe('not_expected');
  expect(on.calls).toHaveLength(3);
});
