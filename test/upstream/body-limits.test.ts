/** Bodies of a service that are small enough, and cost far more than their size: refused alike on every path. */
import { describe, expect, it } from 'vitest';
import { maxDepth, maxValues } from '../../src/splice/layout.ts';
import { isExcessive } from '../../src/upstream/response.ts';
import { startBothWays } from '../compiled/both-ways.ts';
import { pnetPost, postList } from '../support/stub.ts';

const pageWith = (more: string) =>
  JSON.stringify(postList([pnetPost('1'), pnetPost('2')])).replace('"text"', `"more":${more},"text"`);
const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Commas, and brackets and braces that open, outside of the texts of such a page. */
const valuesOf = (page: string) => page.replaceAll(/"[^"]*"/g, '').replaceAll(/[^,[{]/g, '').length;
const left = maxValues - valuesOf(pageWith(zeros(1)));
/** The object of the page, its items, a post, and the value. */
const levelsOfPost = 3;

const readable = {
  'as many values as are read': pageWith(zeros(left + 1)),
  'as many values as are read, in attachments': pageWith('{}').replace(
    '"attachments":[]',
    `"attachments":[${Array.from({ length: Math.floor(left / 2) - 1 }, () => '{}').join()}]`,
  ),
  'as many levels as are read': pageWith(nested(maxDepth - levelsOfPost)),
  'brackets and commas in a text': pageWith(JSON.stringify('[,{'.repeat(maxValues))),
  'quotes and backslashes in a text': pageWith(JSON.stringify('\\"[,'.repeat(maxValues))),
};

const excessive = {
  'one value more than is read': pageWith(zeros(left + 2)),
  'one level more than is read': pageWith(nested(maxDepth - levelsOfPost + 1)),
  'seven million levels': pageWith(nested(7_000_000)),
  'a million attachments': pageWith('{}').replace('"attachments":[]', `"attachments":[${'{},'.repeat(999_999)}{}]`),
  'a million fields': pageWith(`{${Array.from({ length: 1_000_000 }, (_, at) => `"${at}":0`).join()}}`),
};

/** Milliseconds of this thread: on a machine that does other work as well, time passes without it. */
function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

describe('the check of a body', () => {
  it.each(Object.entries(readable))('lets %s through', (_what, page) => {
    expect(isExcessive(Buffer.from(page))).toBe(false);
  });
  it.each(Object.entries(excessive))('stops %s', (_what, page) => {
    expect(isExcessive(Buffer.from(page))).toBe(true);
  });
  it.each(['\\"', '\\n', '\\\\', '\\u00e9', 'say \\"hello\\" to \\u00e9', 'x'])(
    'looks through a text of %s in about the time that it takes to parse',
    (piece) => {
      const page = pageWith(`"${piece.repeat(4_000_000 / piece.length)}"`);
      const bytes = Buffer.from(page);
      // On a busy machine, which shares its caches, even the quickest run takes longer.
      const quickest = (work: () => unknown) => Math.min(...Array.from({ length: 10 }, () => cpuOf(work)));
      expect(quickest(() => isExcessive(bytes))).toBeLessThan(4 * quickest(() => JSON.parse(page)) + 5);
    },
  );
  it.each(['"', '"\\', `"${'x'.repeat(100)}`, `"${'\\'.repeat(99)}`, `"${'\\'.repeat(100)}"[`, ''])(
    'ends with a text that is cut off: %s',
    (text) => {
      expect(isExcessive(Buffer.from(text))).toBe(false);
    },
  );
});

const query =
  '{ posts(accountId: "a1", identifier: "ACo1") { nodes { ... on PnetPost { id attachments { __typename } } } } }';

/** How a page is served: compiled, by graphql-js, and over REST; and how long another client waited meanwhile, at most. */
async function servedEverywhere(page: string) {
  const both = await startBothWays(({ path }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(path.includes('ACo1') ? page : JSON.stringify(postList([])));
  });
  const rest = async () => {
    const response = await fetch(`${both.on.address}/v1/users/ACo1/posts?account_id=a1`, {
      headers: { 'x-api-key': 'their-key' },
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return { both, ...(await both.ask({ body: { query } })), rest: await rest() };
}

describe('a page of a service', { timeout: 60_000 }, () => {
  it.each(Object.entries(readable))('with %s is served', async (_what, page) => {
    const { on, off, rest } = await servedEverywhere(page);
    expect(JSON.parse(on.body).data.posts.nodes).toHaveLength(2);
    expect(on.body).toBe(off.body);
    expect(rest.body.items).toHaveLength(2);
  });

  it.each(Object.entries(excessive))('with %s is an error of the service', async (_what, page) => {
    const { on, off, rest } = await servedEverywhere(page);
    for (const { body } of [on, off]) {
      const { data, errors } = JSON.parse(body);
      expect(data).toEqual({ posts: null });
      expect(errors).toMatchObject([{ extensions: { code: 'PROVIDER_ERROR' } }]);
    }
    expect(rest).toMatchObject({ body: { type: 'errors/provider_error' } });
    expect(rest.status).toBeGreaterThanOrEqual(500);
  });
});
