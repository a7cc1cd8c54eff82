/** Orders of lists and the search of names, on every backend that has them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Backend, backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';

/** UTF-16 sorts the last two the other way round. */
const names = ['Beta', 'alpha', 'ALPHA 100%', 'alpha_1', 'alphax1', 'back\\slash!', 'ÄRGER', 'ärger', '\uffee', '😀'];

type Item = { readonly id: string } & Readonly<Record<string, string | null>>;

/** As the descriptions have it. */
const keyOf = (name: string | null) => (name ?? '').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const byCodePoint = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

const lists = {
  webhooks: { selection: 'id name', name: (item: Item) => item.name ?? null },
  jobPostings: {
    selection: 'id createdAt updatedAt jobTitle { text }',
    name: ({ jobTitle }: Item) => (jobTitle as unknown as { text: string } | null)?.text ?? null,
  },
} as const;
type ListName = keyof typeof lists;

/** Orders, and the key by which each sorts. The creation of webhooks shows in the default order alone. */
const orders: readonly (readonly [ListName, string, (item: Item) => string])[] = [
  ['webhooks', 'NAME_ASC', (item) => keyOf(item.name ?? null)],
  ['webhooks', 'NAME_DESC', (item) => keyOf(item.name ?? null)],
  ['jobPostings', 'CREATED_AT_ASC', (item) => item.createdAt ?? ''],
  ['jobPostings', 'CREATED_AT_DESC', (item) => item.createdAt ?? ''],
  ['jobPostings', 'UPDATED_AT_ASC', (item) => item.updatedAt ?? ''],
  ['jobPostings', 'UPDATED_AT_DESC', (item) => item.updatedAt ?? ''],
];

const searches: readonly (readonly [query: string, found: readonly string[]])[] = [
  ['alpha', ['ALPHA 100%', 'alpha', 'alpha_1', 'alphax1']],
  ['LPHA', ['ALPHA 100%', 'alpha', 'alpha_1', 'alphax1']],
  // Wildcards of SQL are characters as others.
  ['%', ['ALPHA 100%']],
  ['a_1', ['alpha_1']],
  ['k\\s', ['back\\slash!']],
  ['!', ['back\\slash!']],
  // Only A to Z have two cases.
  ['Ä', ['ÄRGER']],
  ['ärger', ['ärger']],
  ['RGER', ['ÄRGER', 'ärger']],
  ['😀', ['😀']],
  ['no such name', []],
  ['x'.repeat(255), []],
];

describe.each(backends)('lists, $name backend', (backend: Backend) => {
  let gateway: Served;
  let workspace: SeededWorkspace;
  let accountId: string;

  beforeAll(async () => {
    gateway = await backend.start();
    workspace = await gateway.workspace();
    accountId = await workspace.account();
    const started = gateway.clock.now;
    for (const [index, name] of [...names, null, ...names.slice(0, 2)].entries()) {
      // Some in one moment, so that the id decides their order.
      gateway.clock.now = new Date(started.getTime() + Math.floor(index / 2));
      await workspace.webhook({ name });
      if (!backend.serves.drafts) continue;
      const id = await workspace.draft({
        accountId,
        fields: { job_title: name === null ? { id: '1' } : { text: name } },
      });
      if (index % 3 !== 0) continue;
      gateway.clock.now = new Date(started.getTime() + 1_000 - index);
      const edit = 'mutation ($input: EditJobInput!) { editJob(input: $input) { __typename } }';
      const { data } = await workspace.ask(edit, {
        input: { jobId: id, accountId, posting: { description: 'changed' } },
      });
      expect(data.editJob.__typename).toBe('PnetJobPostingEdited');
    }
    gateway.clock.now = started;
  });
  afterAll(() => gateway.close());

  /** Whether the list is of a database: with orders and counts. */
  const isOwn = (list: ListName) => (list === 'webhooks' ? backend.serves.accounts : backend.serves.drafts);
  const served = (list: ListName) => list === 'webhooks' || isOwn(list);

  async function read(list: ListName, args: string, first = 250, key?: string): Promise<Item[]> {
    const seen: Item[] = [];
    let after: string | null = null;
    do {
      const document = `query ($first: Int!, $after: String) { ${list}(${args} first: $first, after: $after) {
        nodes { ${lists[list].selection} } pageInfo { hasNextPage endCursor } } }`;
      const variables: Record<string, unknown> = { first, after };
      const { data, errors }: Awaited<ReturnType<typeof graphql>> =
        key === undefined
          ? await workspace.ask(document, variables)
          : await graphql(gateway.address, key, document, variables);
      expect(errors, args).toEqual([]);
      seen.push(...data[list].nodes);
      after = data[list].pageInfo.hasNextPage ? data[list].pageInfo.endCursor : null;
    } while (after !== null);
    return seen;
  }

  test.each(orders.filter(([list]) => isOwn(list)))(
    '%s are sorted %s, whatever the page size',
    async (list, order, keyOf) => {
      const all = await read(list, '');
      const sorted = await read(list, `orderBy: ${order}`);
      const keys = sorted.map(keyOf);
      const expected = all.map(keyOf).sort(byCodePoint);
      expect(new Set(keys).size).toBeGreaterThan(5);
      expect(keys).toEqual(order.endsWith('DESC') ? expected.reverse() : expected);
      expect(sorted.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
      for (const first of [1, 4]) expect(await read(list, `orderBy: ${order}`, first)).toEqual(sorted);
      const [reverse] = orders.filter(
        ([of, other]) => of === list && other !== order && other.split('_')[0] === order.split('_')[0],
      );
      expect(await read(list, `orderBy: ${reverse?.[1]}`)).toEqual([...sorted].reverse());
    },
  );

  test.runIf(backend.serves.accounts)(
    'webhooks are sorted by their creation in both directions, with any filter',
    async () => {
      const all = await read('webhooks', '');
      for (const filter of ['', 'isEnabled: true', 'healthStates: [HEALTHY, FAILING]']) {
        expect(await read('webhooks', `orderBy: CREATED_AT_ASC, ${filter}`, 4)).toEqual(all);
        expect(await read('webhooks', `orderBy: CREATED_AT_DESC, ${filter}`, 4)).toEqual([...all].reverse());
      }
      const byName = await read('webhooks', 'orderBy: NAME_ASC');
      expect(await read('webhooks', 'orderBy: NAME_ASC, healthStates: [HEALTHY, FAILING]', 4)).toEqual(byName);
    },
  );

  test.runIf(backend.serves.accounts)('a cursor is invalid for the same list in another order', async () => {
    const ask = (list: ListName, args: string) =>
      workspace.ask(`{ ${list}(first: 1 ${args}) { pageInfo { endCursor } } }`);
    for (const [list, orderNames] of [
      ['webhooks', ['CREATED_AT_ASC', 'CREATED_AT_DESC', 'NAME_ASC', 'NAME_DESC']],
      ['jobPostings', ['CREATED_AT_DESC', 'CREATED_AT_ASC', 'UPDATED_AT_ASC', 'UPDATED_AT_DESC']],
    ] as const) {
      if (!isOwn(list)) continue;
      for (const order of orderNames) {
        const after = `after: "${(await ask(list, `orderBy: ${order}`)).data[list].pageInfo.endCursor}"`;
        for (const other of ['', ...orderNames]) {
          const { errors } = await ask(list, `${after} ${other && `orderBy: ${other}`}`);
          const isSame = other === order || (other === '' && order === orderNames[0]);
          if (isSame) expect(errors).toEqual([]);
          else
            expect(errors).toMatchObject([
              { extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['after'] }] } },
            ]);
        }
        const { errors } = await ask(list, `${after} orderBy: ${order}, query: "a"`);
        expect(errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['after'] }] } }]);
      }
    }
  });

  test.each(Object.keys(lists) as ListName[])('%s are found by a part of their name', async (list) => {
    if (!served(list)) return;
    const all = await read(list, '');
    for (const [query, found] of searches) {
      const args = `query: ${JSON.stringify(query)},`;
      const expected = all.filter((item) => found.includes(lists[list].name(item) ?? ''));
      expect(new Set(expected.map(lists[list].name)).size, query).toBe(found.length);
      expect(await read(list, args), query).toEqual(expected);
      expect(await read(list, args, 1), query).toEqual(expected);
      if (!isOwn(list)) continue;
      const { data } = await workspace.ask(`{ ${list}(${args} first: 1) { totalCount } }`);
      expect(data[list].totalCount, query).toBe(expected.length);
    }
  });

  test('webhooks are found by a part of their URL, if the key may see all of it', async () => {
    const [own, other] = [await workspace.account(), await workspace.account()];
    const place = { request_url: 'https://Receiver.test/Path-1-É' };
    await workspace.webhook({ ...place, name: 'own', account_ids: JSON.stringify([own]) });
    await workspace.webhook({ ...place, name: 'shared', account_ids: JSON.stringify([own, other]) });
    const key = await workspace.newKey({ accountIds: [own] });
    for (const query of ['receiver.TEST', 'pATH-1', 'É']) {
      const args = `query: ${JSON.stringify(query)},`;
      expect((await read('webhooks', args)).map(({ name }) => name).sort()).toEqual(['own', 'shared']);
      expect((await read('webhooks', args, 250, key)).map(({ name }) => name)).toEqual(['own']);
    }
  });

  test.runIf(backend.serves.drafts)('a posting is found by its name as it is now', async () => {
    const id = await workspace.draft({ accountId, fields: { job_title: { text: 'Before' } } });
    const found = async (query: string) => (await read('jobPostings', `query: "${query}"`)).length;
    expect([await found('before'), await found('after')]).toEqual([1, 0]);
    const edit = 'mutation ($input: EditJobInput!) { editJob(input: $input) { __typename } }';
    await workspace.ask(edit, { input: { jobId: id, accountId, posting: { jobTitle: { text: 'After' } } } });
    expect([await found('before'), await found('after')]).toEqual([0, 1]);
    // Half of a character is stored, and harms nobody.
    await workspace.draft({ accountId, fields: { job_title: { text: 'half \ud83d' } } });
    expect(await found('half')).toBeLessThan(2);
  });

  test.runIf(backend.serves.accounts)('nobody finds what their key cannot see', async () => {
    const own = await workspace.account();
    const stranger = await gateway.workspace();
    const limited = await workspace.newKey({ accountIds: [own] });
    await workspace.webhook({ name: 'alpha of one', account_ids: JSON.stringify([own]) });
    await workspace.webhook({ name: 'alpha of another', account_ids: JSON.stringify([accountId]) });
    if (backend.serves.drafts)
      await workspace.draft({ accountId: own, fields: { job_title: { text: 'alpha of one' } } });
    for (const list of Object.keys(lists) as ListName[]) {
      if (!isOwn(list)) continue;
      for (const order of ['', 'orderBy: CREATED_AT_DESC']) {
        const seen = await read(list, `query: "alpha of" ${order}`, 250, limited);
        expect(seen.map(lists[list].name)).toEqual(['alpha of one']);
        if (backend.serves.workspaces)
          expect(await read(list, `query: "alpha" ${order}`, 250, stranger.key)).toEqual([]);
      }
    }
  });
});
