/**
 * Lists whose filters find few rows among many: read in slices of an index, they have the rows that a list in one piece has,
 * say when counting ended early, and no statement does more work when more is stored.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLObjectType, getNamedType, isEnumType } from 'graphql';
import { type CompiledQuery, DefaultQueryExecutor, SqliteAdapter, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountStatuses } from '../../src/auth/account.ts';
import { embeddedAccounts } from '../../src/capabilities/accounts/embedded.ts';
import { accountEvents } from '../../src/capabilities/deliveries/events.ts';
import { deliveryQueries } from '../../src/capabilities/deliveries/queries.ts';
import { deliveryStates } from '../../src/capabilities/deliveries/shapes.ts';
import { embeddedJobs } from '../../src/capabilities/jobs/embedded.ts';
import { jobOrders, jobStates } from '../../src/capabilities/jobs/vocabulary.ts';
import { cursorCodec, type ListSize, type Page } from '../../src/kernel/paging.ts';
import { nothingSpent, type RequestContext } from '../../src/kernel/request-context.ts';
import { createReadBudget, readLimits, sliceLimits } from '../../src/store/read-budget.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { fillingOf, subjects } from '../support/growth/fill.ts';
import { requestContext } from '../support/request-context.ts';
import { statementsOf } from '../support/statements.ts';

const cursors = cursorCodec(randomBytes(32), 'base64url');
const tiny = { rows: 3, ofList: 2, ofOperation: 3 };

interface Request {
  readonly limit?: number;
  readonly cursor?: string;
}

interface List<Filter> {
  readonly list: (context: RequestContext, request: Filter & Request) => Promise<Page<object>>;
  readonly counts: (context: RequestContext, filters: readonly Filter[]) => Promise<(ListSize | Error)[]>;
}

describe.each(databases)('lists in slices on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let webhookId: string;
  const kind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';

  beforeEach(async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
    webhookId = await gateway.webhook('https://hooks.example/');
  });
  afterEach(() => gateway.close());

  const context = (): RequestContext => ({
    ...requestContext(gateway.space.workspaceId),
    spent: nothingSpent(),
  });

  /** By slices of few rows, or of more than there are. */
  function listsWith(slices: typeof tiny) {
    const { database } = gateway.app;
    const budget = createReadBudget(readLimits, 1, slices);
    const now = () => gateway.clock.now;
    const shared = { database, kind, cursors, budget, now, randomBytes } as never;
    return {
      deliveries: { ...deliveryQueries(shared), ...accountEvents(shared) },
      jobs: embeddedJobs(shared),
      accounts: embeddedAccounts(shared),
    };
  }

  async function whole<Filter>({ list }: List<Filter>, filter: Filter, limit: number) {
    const items: object[] = [];
    let [pages, cursor]: [number, string | null] = [0, null];
    do {
      const page: Page<object> = await list(context(), { ...filter, limit, ...(cursor === null ? {} : { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      items.push(...page.items);
      [pages, cursor] = [pages + 1, page.cursor];
    } while (cursor !== null && pages < 200);
    expect(cursor).toBeNull();
    return items;
  }

  async function expectSame<Filter>(inSlices: List<Filter>, inOnePiece: List<Filter>, filters: readonly Filter[]) {
    for (const filter of filters) {
      const name = JSON.stringify(filter);
      const expected = await whole(inOnePiece, filter, 250);
      for (const limit of [3, 250]) expect(await whole(inSlices, filter, limit), name).toEqual(expected);
      const [exact] = await inOnePiece.counts(context(), [filter]);
      expect(exact, name).toEqual({ count: expected.length, isExact: true });
      const [size] = await inSlices.counts(context(), [filter]);
      if (size === undefined || size instanceof Error) throw new Error(name);
      expect(size.count, name).toBeLessThanOrEqual(expected.length);
      if (size.isExact) expect(size.count, name).toBe(expected.length);
    }
  }

  it('are read together, but for those of an event, which may have a delivery to each webhook', async () => {
    const { eventId } = await gateway.emit('n');
    const { deliveries } = listsWith(sliceLimits);
    const statements = (filter: object) =>
      statementsOf(gateway.space.workspaceId, () =>
        deliveries.lists(
          context(),
          [1, 2, 3].map((limit) => ({ ...filter, limit })),
        ),
      );
    expect(await statements({ webhook_id: webhookId })).toHaveLength(1);
    expect(await statements({ event_id: eventId })).toHaveLength(3);
  });

  it('have the deliveries of each filter and order, those of one time too', async () => {
    await subjects['finished deliveries'](fillingOf(gateway, kind, webhookId), 40);
    const { database } = gateway.app;
    for (let at = 0; at < 10; at += 1) {
      await sql`update deliveries set state = ${deliveryStates[at % 4]}, event = ${at === 5 ? 'message_read' : 'new_relation'},
        created_at = created_at - ${at} where substr(id, 21, 1) = ${String(at)}`.execute(database);
    }
    const time = new Date(gateway.clock.now.getTime() - 3_600_000 + 30).toISOString();
    const filters = [
      {},
      { events: ['message_read'] },
      { events: ['mail_moved'] },
      { events: ['new_relation'], states: ['succeeded', 'failed'] },
      { events: ['new_relation'], since: time },
      { events: ['new_relation'], until: time },
      { webhook_id: webhookId, events: ['message_read'] },
      { webhook_id: 'A'.repeat(22), events: ['message_read'] },
      { account_id: gateway.accountId },
    ].flatMap((filter) => [filter, { ...filter, order_by: 'created_at_asc' }]);
    const [few, all] = [listsWith(tiny).deliveries, listsWith(sliceLimits).deliveries];
    await expectSame<object>(
      few as never,
      {
        ...all,
        counts: (request: RequestContext, [filter]: [object]) => all.counts(request, [withoutOrder(filter)] as never),
      } as never,
      filters,
    );
    // Ends early, as what it looked at was not all.
    expect(await few.counts(context(), [{ events: ['mail_moved'] }] as never)).toEqual([{ count: 0, isExact: false }]);

    await sql`update events set source = 'messaging', event = case when substr(id, 21, 1) = '5' then 'message_read' else event end,
      created_at = created_at - 3 * length(trim(id, 'e0A'))`.execute(database);
    const ofAccount = { account_ids: [gateway.accountId] };
    const eventFilters: { account_ids?: readonly string[]; events?: readonly string[] }[] = [
      {},
      ofAccount,
      { ...ofAccount, events: ['message_read'] },
      { ...ofAccount, events: ['mail_moved'] },
      { account_ids: [gateway.accountId, await gateway.space.account({})], events: ['message_read', 'new_relation'] },
    ];
    for (const filter of eventFilters) {
      const expected = await whole({ list: listsWith(sliceLimits).deliveries.events } as never, filter, 250);
      expect(expected.length).toBe(filter.events?.[0] === 'mail_moved' ? 0 : filter.events?.length === 1 ? 4 : 40);
      // Ends early, as what it looked at was not all.
      if (expected.length === 0)
        expect(await few.events(context(), filter as never)).toEqual({ items: [], cursor: expect.any(String) });
      for (const limit of [3, 250])
        expect(await whole({ list: few.events } as never, filter, limit), JSON.stringify(filter)).toEqual(expected);
    }
  });

  it('have the postings and accounts of each filter and order', async () => {
    const { database } = gateway.app;
    const other = await gateway.space.account({ status: 'CREDENTIALS' });
    for (let n = 0; n < 20; n += 1) await gateway.space.account({ status: n % 7 === 0 ? 'STOPPED' : 'OK' });
    for (let n = 0; n < 40; n += 1)
      await database
        .insertInto('jobs')
        .values({
          id: String(100_000_000_000_000 + n),
          workspace_id: gateway.space.workspaceId,
          account_id: n % 9 === 0 ? other : gateway.accountId,
          state: jobStates[n % jobStates.length] ?? 'draft',
          fields: JSON.stringify({ job_title: { text: n % 11 === 0 ? 'Rare' : 'Engineer' } }),
          checkpoint: null,
          claimed_until: 0,
          claimed_by: null,
          publication: null,
          created_at: 1_000 + (n >> 2),
          updated_at: 2_000 - (n >> 1),
        })
        .execute();
    const [few, all] = [listsWith(tiny), listsWith(sliceLimits)];
    const jobFilters = [{}, { states: ['draft'] }, { account_id: other }, { query: 'rare' }, { query: 'nothing' }];
    for (const order_by of jobOrders) {
      const filters = jobFilters.map((filter) => ({ ...filter, order_by }));
      await expectSame<object>(few.jobs as never, all.jobs as never, filters);
    }
    const accountFilters = Object.keys(accountStatuses).map((status) => ({ statuses: [status] }));
    await expectSame<object>(few.accounts as never, all.accounts as never, [
      {},
      { types: ['PNET'] },
      ...accountFilters,
    ]);
  });
});

const stepsOf = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  const steps = JSON.parse(require('node:fs').readFileSync(0, 'utf8')).map(([text, parameters]) => {
    const statement = database.prepare(text);
    statement.all(...parameters);
    return statement.stat('vmStep');
  });
  process.stdout.write(JSON.stringify(steps));`;

describe('statements on SQLite', () => {
  let gateway: DeliveringGateway;
  let file: string;
  let filling: ReturnType<typeof fillingOf>;
  /** Of the accounts of each other key. */
  let many: readonly string[];

  beforeEach(async () => {
    const sqlite = databases[0];
    if (sqlite?.name !== 'SQLite') throw new Error('SQLite is the first');
    gateway = await startDelivering({ dialect: sqlite, delivery: { limits: { slots: 0 } } });
    filling = fillingOf(gateway, 'sqlite', await gateway.webhook('https://hooks.example/'));
    file = gateway.databaseUrl.replace(/^sqlite:/, '');
    const { database } = gateway.app;
    await sql`insert into accounts (id, workspace_id, name, type, status, session, created_at)
      with recursive s(n) as (select 1 union all select n + 1 from s where n < 20000)
      select 'A' || printf('%020d', n) || 'A', ${filling.workspaceId}, 'n', 'PNET', 'OK', 'ok', n from s`.execute(
      database,
    );
    many = Array.from({ length: 100 }, (_, n) => `A${String((n + 1) * 200).padStart(20, '0')}A`);
    // As many as a workspace may have.
    await subjects.webhooks(filling, 10_000);
    await subjects['finished deliveries'](filling, 20_000);
    await sql`update events set source = 'users', account_id = ${many[0]} where rowid % 2 = 0`.execute(database);
    await sql`analyze`.execute(database);
  });
  afterEach(() => gateway.close());

  /** Of SQLite's machine. In a process of its own: to close the file in this one would end the locks of the gateway. */
  function stepsOfAll(executed: readonly Executed[]): number[] {
    const input = JSON.stringify(executed.map(({ query }) => [query.sql, query.parameters]));
    return JSON.parse(
      execFileSync(process.execPath, ['-e', stepsOf, file], { input, maxBuffer: 10_000_000 }).toString(),
    );
  }

  // Other suites of this process may still be stopping gateways on Postgres.
  const isSelect = ({ query, isOnSqlite }: Executed) => isOnSqlite && /^\s*(select|with)/i.test(query.sql);

  it('do no more work when more is stored', async () => {
    const aliases = Array.from(
      { length: 25 },
      (_, n) =>
        `c${n}: deliveries(events: [MAIL_MOVED], since: "2020-01-01T00:00:${10 + n}Z", first: 1) { totalCount isTotalCountExact }
         l${n}: deliveries(events: [MESSAGE_READ], since: "2020-01-01T00:00:${10 + n}Z", first: 1) { nodes { deliveryId } }`,
    );
    const counted = `deliveries(webhookId: "${filling.webhookId}", first: 1) { totalCount isTotalCountExact }`;
    const mostSteps = async (fields: string) => {
      const executed = await statements(async () => {
        const { errors } = await graphql(gateway.address, gateway.space.key, `{ ${fields} }`, {});
        expect(errors).toEqual([]);
      });
      return Math.max(...stepsOfAll(executed.filter(isSelect)));
    };
    const documents = [aliases.join(' '), counted];
    const few: number[] = [];
    for (const document of documents) few.push(await mostSteps(document));
    await subjects['finished deliveries']({ ...filling, offset: 20_000 }, 60_000);
    for (const [at, document] of documents.entries())
      expect(await mostSteps(document), document).toBeLessThan((few[at] ?? 0) * 1.1);
  });

  it('of each list, filter and key that take long run one at a time', async () => {
    const limited = await gateway.space.newKey({ accountIds: many });
    // Its accounts are looked up one by one.
    const limitedToMost = await gateway.space.newKey({
      accountIds: Array.from({ length: 15_000 }, (_, n) => `A${String(n + 1).padStart(20, '0')}A`),
    });
    const { event_id } = await gateway.app.database
      .selectFrom('deliveries')
      .select('event_id')
      .executeTakeFirstOrThrow();
    const values: Readonly<Record<string, string>> = {
      accountId: JSON.stringify(many[0]),
      accountIds: JSON.stringify(many),
      webhookId: JSON.stringify(filling.webhookId),
      eventId: JSON.stringify(event_id),
      since: '"2020-01-01T00:00:00Z"',
      until: '"2200-01-01T00:00:00Z"',
      query: '"zzz"',
    };
    const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
    const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
    const lists = fields.filter(({ name, args }) => name !== 'posts' && args.some((arg) => arg.name === 'first'));
    expect(lists.map(({ name }) => name).sort()).toEqual([
      'accounts',
      'deliveries',
      'events',
      'jobPostings',
      'webhooks',
    ]);
    const executed = await statements(async () => {
      for (const { name, args, type } of lists) {
        const listed = getNamedType(type) as GraphQLObjectType;
        const selection = `{ nodes { __typename } ${listed.getFields().totalCount === undefined ? '' : 'totalCount'} }`;
        const filters = args.flatMap((arg) => {
          const named = getNamedType(arg.type);
          if (['first', 'after', 'orderBy'].includes(arg.name)) return [];
          const known = isEnumType(named) ? named.getValues().filter((each) => each.name !== 'UNRECOGNIZED') : [];
          const value = values[arg.name] ?? known.at(-1)?.name ?? (named.name === 'Boolean' ? 'false' : null);
          if (value == null) throw new Error(`no value of ${name}(${arg.name}:)`);
          return `${arg.name}: ${value}`;
        });
        const all =
          filters.length > 1
            ? [filters.filter((each) => !/^(webhookId|eventId|accountId|source)/.test(each)).join(' ')]
            : [];
        for (const filter of ['', ...filters, ...all]) {
          const keys = [gateway.space.key, limited, ...(name === 'accounts' ? [limitedToMost] : [])];
          const operations = keys.flatMap((key) =>
            Array.from({ length: 3 }, (_, n) => {
              const aliases = Array.from(
                { length: 8 },
                (_, at) => `a${at}: ${name}(first: ${1 + n + 3 * at} ${filter}) ${selection}`,
              );
              return graphql(gateway.address, key, `{ ${aliases.join(' ')} }`, {});
            }),
          );
          for (const { errors } of await Promise.all(operations)) expect(errors, `${name}(${filter})`).toEqual([]);
        }
      }
    });
    const selects = executed.filter(isSelect);
    const steps = stepsOfAll(selects);
    const long = selects.filter((_, at) => (steps[at] ?? 0) > 200_000).sort((one, other) => one.began - other.began);
    expect(long.length).toBeGreaterThan(0);
    for (const [at, each] of long.entries()) {
      const next = long[at + 1];
      if (next !== undefined) expect(next.began, next.query.sql).toBeGreaterThanOrEqual(each.ended);
    }
    expect(Math.max(...steps)).toBeLessThan(6_000_000);
  }, 120_000);
});

it('statements that look at many rows take turns by key', async () => {
  const budget = createReadBudget();
  const done: string[] = [];
  const scanOf = (keyId: string, name: string) =>
    budget.scan({ ...requestContext('w'), caller: { ...requestContext('w').caller, keyId } }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      done.push(name);
    });
  const ofOne = Array.from({ length: 20 }, (_, n) => scanOf('one', `one ${n}`));
  await ofOne[2];
  await scanOf('other', 'other');
  expect(done.indexOf('other')).toBeLessThan(6);
  const aborted = AbortSignal.abort(new Error('gone'));
  await expect(budget.scan(requestContext('w', aborted), async () => done.push('gone'))).rejects.toThrow('gone');
  await Promise.all(ofOne);
  expect(done).not.toContain('gone');
});

function withoutOrder(filter: object | undefined): object {
  const { order_by, ...others } = { order_by: undefined, ...filter };
  return others;
}

interface Executed {
  readonly query: CompiledQuery;
  /** In the order of all beginnings and ends. */
  readonly began: number;
  readonly ended: number;
  readonly isOnSqlite: boolean;
}

/** What `work` executes. */
async function statements(work: () => Promise<unknown>): Promise<Executed[]> {
  const { executeQuery } = DefaultQueryExecutor.prototype;
  const seen: Executed[] = [];
  let clock = 0;
  const spy = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(async function (
    this: DefaultQueryExecutor,
    query,
    ...rest
  ) {
    const began = clock++;
    try {
      return (await executeQuery.call(this, query, ...rest)) as never;
    } finally {
      seen.push({ query, began, ended: clock++, isOnSqlite: this.adapter instanceof SqliteAdapter });
    }
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return seen;
}
