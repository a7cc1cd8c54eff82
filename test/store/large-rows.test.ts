/** Rows as large as requests can make them: what an operation reads of them is what it selects, within a budget. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DefaultQueryExecutor, type QueryResult } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newJobId } from '../../src/capabilities/jobs/repository.ts';
import { sealHeaders } from '../../src/capabilities/webhooks/repository.ts';
import { maxListBytes } from '../../src/capabilities/webhooks/whole-list.ts';
import { newId } from '../../src/kernel/ids.ts';
import { createReadBudget, readLimits } from '../../src/store/read-budget.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';
import { testVault } from '../support/webhooks.ts';

const rows = 30;
const text = 'x'.repeat(700_000);
const mebibyte = 1_048_576;

/** Characters of the rows that statements return while `work` runs. */
async function charactersRead(work: () => Promise<unknown>): Promise<number> {
  let characters = 0;
  const { executeQuery } = DefaultQueryExecutor.prototype;
  const spy = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(async function (
    this: DefaultQueryExecutor,
    ...given
  ) {
    const result = (await executeQuery.apply(this, given)) as QueryResult<Record<string, unknown>>;
    for (const value of result.rows.flatMap((row) => Object.values(row ?? {}))) {
      if (typeof value === 'string') characters += value.length;
    }
    return result as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return characters;
}

describe.each(databases)('large rows on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let webhookId: string;
  let ids: Record<'Delivery' | 'Webhook' | 'Job', string[]>;
  const ask = (query: string) => graphql(gateway.address, gateway.space.key, query);

  beforeAll(async () => {
    gateway = await startDelivering({ dialect });
    const { app, space, accountId, clock } = gateway;
    const created_at = clock.now.getTime();
    const common = { workspace_id: space.workspaceId, account_id: accountId, created_at };
    ids = { Delivery: [], Webhook: [], Job: [] };
    for (let n = 0; n < rows; n += 1) {
      const id = newId(randomBytes);
      const headers = Array.from({ length: 35 }, (_, place) => ({ key: `x-${place}`, value: 'x'.repeat(20_000) }));
      ids.Webhook.push(
        await gateway.webhook('https://hooks.example/', { id, headers: sealHeaders(testVault, id, headers) }),
      );
      webhookId = id;
    }
    for (let n = 0; n < rows; n += 1) {
      const id = newJobId(randomBytes);
      ids.Job.push(id);
      const job = { state: 'draft', checkpoint: null, claimed_until: 0, claimed_by: null, publication: null };
      const fields = JSON.stringify({ job_title: { text: 'Engineer' }, description: text });
      await app.database
        .insertInto('jobs')
        .values({ ...common, ...job, id, fields, updated_at: created_at })
        .execute();
      const delivery = newId(randomBytes);
      ids.Delivery.push(delivery);
      const event = { event: 'new_relation', source: 'users' as const, account_type: 'PNET', idempotency_key: null };
      const data = JSON.stringify({ user_full_name: text });
      await app.database
        .insertInto('events')
        .values({ ...common, ...event, id: delivery, data, fingerprint: '' })
        .execute();
      const done = { state: 'succeeded', attempts: 0, attempts_before: 0, next_at: 0, claim_token: null };
      const placed = { webhook_id: webhookId, event_id: delivery, event: 'new_relation', finished_at: created_at };
      await app.database
        .insertInto('deliveries')
        .values({ ...common, ...done, ...placed, id: delivery })
        .execute();
    }
  }, 120_000);
  afterAll(() => gateway.close());

  const lists = (nodes: string) => ({
    deliveries: `webhook(webhookId: "${webhookId}") { deliveries(first: 250) { nodes { ${nodes} } } }`,
    webhooks: `webhooks(first: 250) { nodes { ${nodes} } }`,
    jobs: `jobPostings(first: 250) { nodes { ${nodes} } }`,
    'jobs of an account': `account(accountId: "${gateway.accountId}") { jobPostings(first: 250) { nodes { ${nodes} } } }`,
    'webhooks of an account': `account(accountId: "${gateway.accountId}") { webhooks(first: 250) { nodes { ${nodes} } } }`,
  });

  it('are not read for the ids of a list', async () => {
    for (const [name, list] of Object.entries(lists('id'))) {
      const read = await charactersRead(async () => {
        const { data, errors } = await ask(`{ ${list} }`);
        expect(errors, name).toEqual([]);
        expect(JSON.stringify(data).split('"id"').length - 1, name).toBe(rows);
      });
      expect(read, name).toBeLessThan(mebibyte);
    }
  });

  it('are not read for other fields of a posting', async () => {
    for (const title of [
      'jobTitle { text }',
      'jobTitle { text } a: company { text } b: screeningQuestions { question }',
    ]) {
      const read = await charactersRead(async () => {
        const { data, errors } = await ask(`{ ${lists(`id ${title}`).jobs} }`);
        expect(errors).toEqual([]);
        expect(data.jobPostings.nodes).toHaveLength(rows);
        for (const node of data.jobPostings.nodes) expect(node.jobTitle).toEqual({ text: 'Engineer' });
      });
      expect(read, title).toBeLessThan(mebibyte / 8);
    }
  });

  it.each([
    ['parsed', () => lists('jobTitle { text }').jobs, /->/, rows],
    ['read', () => lists('data').deliveries.replace('first: 250', 'first: 20'), /, "events"."data" from/, 20],
  ] as const)('are %s a few at a time', async (_, list, statement, count) => {
    const read: number[] = [];
    const { executeQuery } = DefaultQueryExecutor.prototype;
    const spy = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(async function (
      this: DefaultQueryExecutor,
      ...given
    ) {
      const [{ sql }] = given;
      const result = await executeQuery.apply(this, given);
      if (statement.test(sql)) read.push(result.rows.length);
      return result as never;
    });
    const { errors } = await ask(`{ ${list()} }`).finally(() => spy.mockRestore());
    expect(errors).toEqual([]);
    // Each has 0.7 MB.
    expect(read).toEqual(Array.from({ length: count }, () => 1));
  });

  it('are read for a field alone, whatever the others have', async () => {
    const { app, space, accountId } = gateway;
    const id = newJobId(randomBytes);
    const fields = {
      job_title: { text: 'Engineer' },
      description: `\0 \\u0000 \ud800 "${'"'.repeat(9)}`,
      workplace: 'REMOTE',
    };
    const common = { workspace_id: space.workspaceId, account_id: accountId, created_at: 0, updated_at: 0 };
    const state = { state: 'draft', checkpoint: null, claimed_until: 0, claimed_by: null, publication: null };
    const row = { ...common, ...state, id, fields: JSON.stringify(fields) };
    await app.database.insertInto('jobs').values(row).execute();
    const read = async (selection: string) =>
      (await ask(`{ jobPosting(jobId: "${id}") { ${selection} } }`)).data.jobPosting;
    expect(await read('workplace salary { min } hasRejectionNotification')).toEqual({
      workplace: 'REMOTE',
      salary: null,
      hasRejectionNotification: true,
    });
    expect(await read('description')).toEqual({ description: fields.description.toWellFormed() });
    await app.database.deleteFrom('jobs').where('id', '=', id).execute();
  });

  it('are not read for objects by their ids', async () => {
    const globalIds = Object.entries(ids).flatMap(([kind, each]) =>
      each.map((id) => Buffer.from(JSON.stringify([kind, id])).toString('base64url')),
    );
    const read = await charactersRead(async () => {
      const { data } = await ask(`{ nodes(ids: ${JSON.stringify(globalIds.slice(0, 100))}) { id __typename } }`);
      expect(data.nodes).toHaveLength(3 * rows);
      expect(data.nodes).not.toContain(null);
    });
    expect(read).toBeLessThan(mebibyte);
  });

  it('are read for the fields that need them, up to what an operation may read', async () => {
    const wanted = { deliveries: 'data', webhooks: '... on Webhook { headers { key } }', jobs: 'description' };
    for (const [name, field] of Object.entries(wanted) as [keyof typeof wanted, string][]) {
      const some = lists(field)[name].replaceAll('first: 250', 'first: 5');
      expect((await ask(`{ ${some} }`)).errors, name).toEqual([]);
      const read = await charactersRead(async () => {
        const { errors } = await ask(`{ ${lists(field)[name]} }`);
        expect(errors[0]?.extensions, name).toMatchObject({ code: 'LIMIT_TOO_HIGH' });
      });
      expect(read, name).toBeLessThan(readLimits.operation + mebibyte);
    }
  });

  it('make the pages of webhooks short over REST, and every webhook is on one', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query = `limit=250${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const response = await fetch(`${gateway.address}/v1/webhooks?${query}`, {
        headers: { 'x-api-key': gateway.space.key },
      });
      const body = await response.text();
      expect(body.length).toBeLessThan(maxListBytes + mebibyte);
      const page = JSON.parse(body);
      expect(page.items.length).toBeGreaterThan(0);
      seen.push(...page.items.map((item: { id: string }) => item.id));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(seen.sort()).toEqual([...ids.Webhook].sort());
  });

  it('stand in their place among small ones over REST', async () => {
    const { workspaceId, key } = await gateway.workspace();
    const sizes = [1, 30_000, 10, 700_000, 1_000];
    for (const [n, size] of sizes.entries()) {
      const id = newId(randomBytes);
      const headers = sealHeaders(testVault, id, [{ key: 'x-size', value: 'x'.repeat(size) }]);
      await gateway.webhook('https://hooks.example/', { id, workspace_id: workspaceId, headers, created_at: n });
    }
    const response = await fetch(`${gateway.address}/v1/webhooks?limit=250`, { headers: { 'x-api-key': key } });
    const { items } = (await response.json()) as { items: { headers: { value: string }[]; data: unknown[] }[] };
    expect(items.map(({ headers }) => headers[0]?.value.length)).toEqual(sizes);
    expect(items.map(({ data }) => data.length)).toEqual(sizes.map(() => 1));
  });

  it.each(['GraphQL', 'REST'])('are held for no client that does not read its response over %s', async (door) => {
    const { hostname, port } = new URL(gateway.address);
    const head = `Host: x\r\nX-API-KEY: ${gateway.space.key}\r\n`;
    const body = JSON.stringify({ query: `{ ${lists('data').deliveries.replace('first: 250', 'first: 20')} }` });
    const request = {
      GraphQL: `POST /graphql HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      REST: `GET /v1/webhooks?limit=250 HTTP/1.1\r\n${head}\r\n`,
    }[door];
    const slow: Socket[] = [];
    // Of both kinds, the responses together are more than the budget of the workspace.
    for (let n = 0; n < (door === 'REST' ? 9 : 3); n += 1) {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      slow.push(socket);
      socket.write(request ?? '');
      await once(socket, 'readable');
    }
    try {
      const { errors } = await ask(`{ ${lists('data').deliveries.replace('first: 250', 'first: 20')} }`);
      expect(errors).toEqual([]);
    } finally {
      for (const socket of slow) socket.destroy();
    }
  });

  it('leave room for another workspace', async () => {
    const other = await gateway.workspace();
    const heavy = Array.from({ length: 24 }, () =>
      ask(`{ ${lists('data').deliveries.replaceAll('first: 250', 'first: 20')} }`),
    );
    let isBusy = true;
    const done = Promise.all(heavy).then((all) => {
      isBusy = false;
      return all;
    });
    let between = 0;
    for (; isBusy; between += 1)
      expect((await graphql(gateway.address, other.key, '{ viewer { workspaceId: __typename } }')).status).toBe(200);
    for (const { errors } of await done) {
      for (const { extensions } of errors) expect(extensions.code).toBe('SERVICE_UNAVAILABLE');
    }
    // Between them, not after the last.
    expect(between).toBeGreaterThan(5);
  });
});

describe('a read budget', () => {
  const operation = (workspaceId: string) => {
    const printing: (() => void)[] = [];
    const context = {
      ...requestContext(workspaceId),
      whenPrinted: (callback: () => void) => void printing.push(callback),
    };
    return { context, print: () => printing.forEach((callback) => void callback()) };
  };
  const tiny = { operation: 10, workspace: 20, process: 30, parsed: 100, waitMs: 50 };

  it('refuses what one operation may not read', async () => {
    const budget = createReadBudget(tiny);
    const { context } = operation('a');
    await budget.take(context, 6);
    await expect(budget.take(context, 5)).rejects.toMatchObject({ errorName: 'limit_too_high' });
    const ofPart = { ...context, signal: new AbortController().signal };
    await expect(budget.take(ofPart, 5)).rejects.toMatchObject({ errorName: 'limit_too_high' });
    await expect(budget.take(operation('a').context, 10)).resolves.toBeTypeOf('function');
  });

  it('refuses statements that would parse too much', () => {
    const budget = createReadBudget(tiny);
    expect(() => budget.requireParsable(tiny.parsed)).not.toThrow();
    expect(() => budget.requireParsable(tiny.parsed + 1)).toThrow(/read more than/);
  });

  it('lets an operation wait until others have ended, and never for those of another workspace', async () => {
    const budget = createReadBudget(tiny);
    const [first, second, third, other] = [operation('a'), operation('a'), operation('a'), operation('b')];
    await budget.take(first.context, 10);
    await budget.take(second.context, 10);
    let isStarted = false;
    const waiting = budget.take(third.context, 10).then(() => {
      isStarted = true;
    });
    await budget.take(other.context, 10);
    expect(isStarted).toBe(false);
    first.print();
    await waiting;
  });

  it('lets one operation go beyond that holds bytes and needs more, as it would wait for others that do', async () => {
    const budget = createReadBudget({ operation: 15, workspace: 20, process: 20, parsed: 100, waitMs: 3_600_000 });
    const [first, second, third] = [operation('a'), operation('b'), operation('c')];
    await budget.take(first.context, 10);
    await budget.take(second.context, 10);
    const started: string[] = [];
    const last = budget.take(third.context, 1).then(() => started.push('holds nothing'));
    const next = budget.take(second.context, 1).then(() => started.push('goes ahead'));
    await next;
    const more = budget.take(first.context, 5).then(() => started.push('waits'));
    await budget.take(second.context, 4);
    expect(started).toEqual(['goes ahead']);
    second.print();
    await Promise.all([last, more]);
    expect(started.sort()).toEqual(['goes ahead', 'holds nothing', 'waits']);
  });

  it('starts reads in the order of their arrival, so that small ones starve no large one', async () => {
    const budget = createReadBudget({ operation: 16, workspace: 18, process: 24, parsed: 100, waitMs: 3_600_000 });
    const started: string[] = [];
    const start = (name: string, workspaceId: string, bytes: number) => {
      const { context, print } = operation(workspaceId);
      return { print, done: budget.take(context, bytes).then(() => started.push(name)) };
    };
    const first = start('first', 'a', 12);
    const large = start('large', 'b', 16);
    const others = [start('small', 'a', 6), start('of its workspace', 'b', 4), start('last', 'c', 4)];
    await first.done;
    expect(started).toEqual(['first']);
    first.print();
    await large.done;
    expect(started).toEqual(['first', 'large', 'small']);
    large.print();
    await Promise.all(others.map(({ done }) => done));
    expect(started).toEqual(['first', 'large', 'small', 'of its workspace', 'last']);
  });

  it('refuses what waits for too long, or whose client has gone', async () => {
    const budget = createReadBudget(tiny);
    await budget.take(operation('a').context, 10);
    await budget.take(operation('a').context, 10);
    await expect(budget.take(operation('a').context, 1)).rejects.toMatchObject({ errorName: 'service_unavailable' });
    const gone = new AbortController();
    const waiting = budget.take({ ...operation('a').context, signal: gone.signal }, 1);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ errorName: 'service_unavailable' });
  });
});

it('a read that found no capacity does not count for its operation', async () => {
  const tight = { operation: 10, workspace: 10, process: 10, parsed: 100, waitMs: 1 };
  const budget = createReadBudget(tight);
  const release = await budget.take(requestContext('a'), 10);
  const refused = requestContext('a');
  await expect(budget.take(refused, 10)).rejects.toMatchObject({ errorName: 'service_unavailable' });
  release();
  await expect(budget.take(refused, 10)).resolves.toBeTypeOf('function');
});

it('a read whose client has gone does not wait for capacity', async () => {
  const budget = createReadBudget({ ...readLimits, process: 0, waitMs: 3_600_000 });
  await expect(budget.take(requestContext('a', AbortSignal.abort()), 1)).rejects.toMatchObject({ status: 503 });
});
