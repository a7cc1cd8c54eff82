/**
 * Lists whose filters find few rows among many: read in slices of an index, they have the rows that a list in one piece has,
 * say when counting ended early, and no statement does more work when more is stored.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type CompiledQuery, DefaultQueryExecutor, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountStatuses } from '../../src/auth/account.ts';
import { embeddedAccounts } from '../../src/capabilities/accounts/embedded.ts';
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
      deliveries: deliveryQueries(shared),
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
      { event: ['message_read'] },
      { event: ['mail_moved'] },
      { event: ['new_relation'], state: ['succeeded', 'failed'] },
      { event: ['new_relation'], since: time },
      { event: ['new_relation'], until: time },
      { webhook_id: webhookId, event: ['message_read'] },
      { webhook_id: 'A'.repeat(22), event: ['message_read'] },
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
    expect(await few.counts(context(), [{ event: ['mail_moved'] }] as never)).toEqual([{ count: 0, isExact: false }]);
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
    const jobFilters = [{}, { state: ['draft'] }, { account_id: other }, { query: 'rare' }, { query: 'nothing' }];
    for (const order_by of jobOrders) {
      const filters = jobFilters.map((filter) => ({ ...filter, order_by }));
      await expectSame<object>(few.jobs as never, all.jobs as never, filters);
    }
    const accountFilters = Object.keys(accountStatuses).map((status) => ({ status: [status] }));
    await expectSame<object>(few.accounts as never, all.accounts as never, [{}, { type: ['PNET'] }, ...accountFilters]);
  });

  it('cost statements by what is asked, whatever is stored', async () => {
    const filling = fillingOf(gateway, kind, webhookId);
    const asked = { since: '2020-01-01T00:00:00Z', event: ['mail_moved'] };
    const work = async () => {
      const { deliveries } = listsWith({ rows: 20, ofList: 3, ofOperation: 5 });
      return executed(async () => {
        const sizes = await deliveries.counts(context(), Array.from({ length: 10 }, () => asked) as never);
        for (const size of sizes) expect(size).toEqual({ count: 0, isExact: false });
        await deliveries.lists(context(), Array.from({ length: 10 }, () => asked) as never);
      });
    };
    await subjects['finished deliveries'](filling, 200);
    const few = await work();
    await subjects['finished deliveries']({ ...filling, offset: 200 }, 2_000);
    expect(await work()).toEqual(few);
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

it('no statement on SQLite does more work when more is stored', async () => {
  const sqlite = databases[0];
  if (sqlite?.name !== 'SQLite') throw new Error('SQLite is the first');
  const gateway = await startDelivering({ dialect: sqlite, delivery: { limits: { slots: 0 } } });
  try {
    const filling = fillingOf(gateway, 'sqlite', await gateway.webhook('https://hooks.example/'));
    const file = gateway.databaseUrl.replace(/^sqlite:/, '');
    const aliases = Array.from(
      { length: 25 },
      (_, n) =>
        `c${n}: deliveries(event: [MAIL_MOVED], since: "2020-01-01T00:00:${10 + n}Z", first: 1) { totalCount isTotalCountExact }
         l${n}: deliveries(event: [MESSAGE_READ], since: "2020-01-01T00:00:${10 + n}Z", first: 1) { nodes { deliveryId } }`,
    );
    /** Steps of SQLite's machine by the statement that takes most. */
    async function mostSteps(): Promise<number> {
      const seen: CompiledQuery[] = [];
      await statements(seen, async () => {
        const { errors } = await graphql(gateway.address, gateway.space.key, `{ ${aliases.join(' ')} }`, {});
        expect(errors).toEqual([]);
      });
      const selects = seen.filter(({ sql: text }) => /^\s*select/i.test(text));
      const input = JSON.stringify(selects.map(({ sql: text, parameters }) => [text, parameters]));
      // In a process of its own: to close the file in this one would end the locks of the gateway.
      const steps: number[] = JSON.parse(execFileSync(process.execPath, ['-e', stepsOf, file], { input }).toString());
      return Math.max(...steps);
    }
    await subjects['finished deliveries'](filling, 20_000);
    const few = await mostSteps();
    await subjects['finished deliveries']({ ...filling, offset: 20_000 }, 60_000);
    expect(await mostSteps()).toBeLessThan(few * 1.1);
  } finally {
    await gateway.close();
  }
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

/** What `work` executes. */
async function statements(seen: CompiledQuery[], work: () => Promise<unknown>): Promise<void> {
  const { executeQuery } = DefaultQueryExecutor.prototype;
  const spy = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(function (
    this: DefaultQueryExecutor,
    query,
    ...rest
  ) {
    seen.push(query);
    return executeQuery.call(this, query, ...rest) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
}

/** The number of statements about deliveries of an event. */
async function executed(work: () => Promise<unknown>): Promise<number> {
  const seen: CompiledQuery[] = [];
  await statements(seen, work);
  return seen.filter(({ sql: text }) => /"event" in|offset/.test(text)).length;
}
