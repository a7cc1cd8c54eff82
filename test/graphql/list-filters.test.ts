/** Filters, sizes and cursors of the lists, on every backend that has them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobStates } from '../../src/capabilities/jobs/vocabulary.ts';
import { type Backend, backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';

type Item = Readonly<Record<string, unknown>>;

interface Filtered {
  /** The name of the list, and its other arguments; `first` and `after` are added. */
  readonly list: string;
  readonly args: string;
  /** What the filter lets through. */
  readonly fits: (item: Item) => boolean;
}

/** What the lists are asked for: enough for every filter. */
const selections: Readonly<Record<string, string>> = {
  webhooks: 'id isEnabled events accounts { accountId } source',
  accounts: 'id accountId type status',
  jobPostings: 'id accountId state',
};

const source = (item: Item) => (item.source ?? null) as string | null;
const events = ({ events: all }: Item) => all as readonly string[];
const listensTo = (accountId: string) => (item: Item) => {
  const accounts = item.accounts as readonly { accountId: string }[] | null;
  return accounts === null || accounts.some((account) => account.accountId === accountId);
};

const filtersOf = (accountId: string): readonly Filtered[] => [
  { list: 'webhooks', args: 'sources: USERS', fits: (item) => source(item) === 'USERS' },
  {
    list: 'webhooks',
    args: 'sources: [EMAIL, USERS]',
    fits: (item) => ['EMAIL', 'USERS'].includes(source(item) ?? ''),
  },
  { list: 'webhooks', args: 'sources: [CALENDAR_EVENT]', fits: () => false },
  { list: 'webhooks', args: 'sources: []', fits: () => false },
  { list: 'webhooks', args: 'events: [], sources: EMAIL', fits: () => false },
  { list: 'webhooks', args: 'sources: null', fits: () => true },
  { list: 'webhooks', args: 'events: MAIL_SENT', fits: (item) => events(item).includes('MAIL_SENT') },
  {
    list: 'webhooks',
    args: 'events: [MAIL_SENT, NEW_RELATION]',
    fits: (item) => events(item).some((event) => ['MAIL_SENT', 'NEW_RELATION'].includes(event)),
  },
  { list: 'webhooks', args: 'isEnabled: true', fits: ({ isEnabled }) => isEnabled === true },
  { list: 'webhooks', args: 'isEnabled: false', fits: ({ isEnabled }) => isEnabled === false },
  { list: 'webhooks', args: `accountId: "${accountId}"`, fits: listensTo(accountId) },
  {
    list: 'webhooks',
    args: `accountId: "${accountId}", events: MAIL_SENT, isEnabled: false, sources: EMAIL`,
    fits: (item) => listensTo(accountId)(item) && events(item).includes('MAIL_SENT') && item.isEnabled === false,
  },
  { list: 'webhooks', args: 'healthStates: HEALTHY', fits: ({ isEnabled }) => isEnabled === true },
  {
    list: 'webhooks',
    args: 'healthStates: [DISABLED_BY_CALLER, FAILING], sources: EMAIL',
    fits: (item) => item.isEnabled === false && source(item) === 'EMAIL',
  },
  { list: 'webhooks', args: 'healthStates: []', fits: () => false },
  { list: 'accounts', args: 'types: []', fits: () => false },
  { list: 'accounts', args: 'types: PNET', fits: ({ type }) => type === 'PNET' },
  { list: 'accounts', args: 'types: [MAIL, PHOTONET]', fits: ({ type }) => type !== 'PNET' },
  { list: 'accounts', args: 'statuses: [CREDENTIALS, STOPPED]', fits: ({ status }) => status !== 'OK' },
  {
    list: 'accounts',
    args: 'statuses: OK, types: PNET',
    fits: ({ status, type }) => status === 'OK' && type === 'PNET',
  },
  ...jobStates.map((state) => ({
    list: 'jobPostings',
    args: `states: ${state.toUpperCase()}`,
    fits: (item: Item) => item.state === state.toUpperCase(),
  })),
  { list: 'jobPostings', args: 'states: []', fits: () => false },
  {
    list: 'jobPostings',
    args: `states: [DRAFT, CLOSED], accountId: "${accountId}"`,
    fits: (item) => ['DRAFT', 'CLOSED'].includes(item.state as string) && item.accountId === accountId,
  },
];

/** No service tells the health of webhooks. */
const served = (backend: Backend, { list, args }: Filtered): boolean =>
  (list === 'webhooks' && !args.startsWith('health')) ||
  (list === 'jobPostings' ? backend.serves.drafts : backend.serves.accounts);

/** Two of everything that a filter tells apart. @returns an account that some of it is of */
async function furnish(workspace: SeededWorkspace, { clock }: Served): Promise<string> {
  const accountId = await workspace.account();
  const other = await workspace.account({ type: 'MAIL', status: 'CREDENTIALS' });
  await workspace.account({ type: 'PHOTONET', status: 'STOPPED' });
  await workspace.account({ type: 'PNET', status: 'STOPPED' });
  const started = clock.now;
  for (const [index, account] of [accountId, other, accountId, other].entries()) {
    // Some are created in one moment, so that the id decides their order.
    clock.now = new Date(started.getTime() + Math.floor(index / 2));
    const account_ids = JSON.stringify([account]);
    await workspace.webhook({ account_ids, enabled: index % 2 });
    await workspace.webhook({ account_ids, source: 'email', events: '["mail_sent","mail_moved"]', enabled: 0 });
    await workspace.webhook({ source: 'email', events: '["mail_received"]' });
    await workspace.webhook({ trigger: { icon: 'CableIcon', name: 'x', context: 'CHAT' } });
    for (const state of jobStates) await workspace.draft({ accountId: account, state });
  }
  clock.now = started;
  return accountId;
}

describe.each(backends)('lists, $name backend', (backend) => {
  let gateway: Served;
  let workspace: SeededWorkspace;
  let filters: readonly Filtered[];

  beforeAll(async () => {
    gateway = await backend.start();
    workspace = await gateway.workspace();
    filters = filtersOf(await furnish(workspace, gateway)).filter((each) => served(backend, each));
  });
  afterAll(() => gateway.close());

  const field = ({ list, args }: Pick<Filtered, 'list' | 'args'>, selection: string) =>
    `query ($first: Int!, $after: String) { ${list}(${args} first: $first, after: $after) {
      edges { cursor } nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`;

  /** The whole list, read in pages. */
  async function read({ list, args }: Pick<Filtered, 'list' | 'args'>, first = 250): Promise<Item[]> {
    const seen: Item[] = [];
    let after: string | null = null;
    do {
      const { data, errors } = await workspace.ask(field({ list, args }, selections[list] ?? ''), { first, after });
      expect(errors).toEqual([]);
      seen.push(...data[list].nodes);
      after = data[list].pageInfo.hasNextPage ? data[list].pageInfo.endCursor : null;
    } while (after !== null);
    return seen;
  }

  test('a filtered list has the matching items of the whole list, in its order, whatever the page size', async () => {
    for (const filter of filters) {
      const whole = await read({ ...filter, args: '' });
      const expected = whole.filter(filter.fits);
      expect(whole.length, filter.list).toBeGreaterThan(expected.length === 0 ? 0 : 3);
      for (const first of [1, 3, 250]) expect(await read(filter, first), filter.args).toEqual(expected);
    }
    expect(filters.filter(({ list }) => list === 'webhooks')).toHaveLength(backend.serves.accounts ? 15 : 12);
  });

  test('a cursor is invalid for the same list with other filters', async () => {
    const cursors = new Map<Filtered, string>();
    for (const filter of filters) {
      const { data } = await workspace.ask(field(filter, 'id'), { first: 1 });
      const [edge] = data[filter.list].edges;
      if (edge !== undefined) cursors.set(filter, edge.cursor);
    }
    expect(cursors.size).toBeGreaterThan(8);
    for (const [from, after] of cursors) {
      for (const into of filters) {
        const { errors } = await workspace.ask(field(into, 'id'), { first: 1, after });
        const refusal = { extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['after'] }] } };
        const where = `${from.list}(${from.args}) → ${into.list}(${into.args})`;
        if (from === into) expect(errors, where).toEqual([]);
        else expect(errors, where).toMatchObject([refusal]);
      }
    }
  });

  test('a cursor is valid whatever the order of the values of a filter', async () => {
    const read = (sources: string, after = '') =>
      workspace.ask(`{ webhooks(sources: [${sources}], first: 1 ${after}) { pageInfo { endCursor } } }`);
    const { data } = await read('EMAIL, USERS');
    const after = `after: "${data.webhooks.pageInfo.endCursor}"`;
    expect((await read('USERS, EMAIL', after)).errors).toEqual([]);
    expect((await read('USERS', after)).errors).toHaveLength(1);
  });

  test.runIf(backend.serves.accounts)(
    'totalCount is the size of the whole list, where the backend knows it',
    async () => {
      for (const filter of filters) {
        const size = (await read(filter)).length;
        const { list, args } = filter;
        const { data, errors } = await workspace.ask(`{ ${list}(${args} first: 1) { totalCount nodes { id } } }`);
        expect({ args, ...data[list] }).toEqual({ args, totalCount: size, nodes: expect.any(Array) });
        expect(errors).toEqual([]);
      }
    },
  );

  test.each([
    ['an account that nobody has', '"xxxxxxxxxxxxxxxxxxxxxx"'],
    ['text that is no id', '"?"'],
  ])('webhooks of %s are those of all accounts', async (_what, accountId) => {
    const all = (await read({ list: 'webhooks', args: '' })).filter(({ accounts }) => accounts === null);
    expect(await read({ list: 'webhooks', args: `accountId: ${accountId}` })).toEqual(all);
  });

  // In proxy mode with forwarded keys, what a key sees is filtered, and nothing else.
  test.runIf(backend.serves.accounts)('a limited key cannot list webhooks that listen to another account', async () => {
    const [own, other] = [await workspace.account(), await workspace.account()];
    const mine = await workspace.webhook({ account_ids: JSON.stringify([own, other]), source: 'email', events: '[]' });
    const key = await workspace.newKey({ accountIds: [own] });
    const ask = (accountId: string) =>
      graphql(gateway.address, key, `{ webhooks(accountId: "${accountId}") { nodes { webhookId } } }`);
    expect((await ask(own)).data.webhooks.nodes).toContainEqual({ webhookId: mine });
    expect(await ask(other)).toMatchObject({
      data: { webhooks: null },
      errors: [{ path: ['webhooks'], extensions: { code: 'ACCOUNT_MISMATCH' } }],
    });
  });
});
