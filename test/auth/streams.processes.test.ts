/** Every subscription ends with its key, in every process, and is counted. Derived from the schema's subscription fields. */
import { getNamedType, isLeafType, isRequiredArgument } from 'graphql';
import { pino } from 'pino';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createStreams } from '../../src/auth/streams.ts';
import { expiredKey } from '../../src/kernel/caller.ts';
import type { ErrorName } from '../../src/kernel/errors.ts';
import { databases } from '../support/databases.ts';
import { type Gateway, type GatewayOptions, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';
import { schema } from '../support/schema.ts';

/** The required arguments of subscriptions, for what a workspace has. */
const argumentsOf: Readonly<Record<string, (gateway: Gateway, workspace: TestWorkspace) => Promise<string>>> = {
  accountUpdated: async (_gateway, workspace) => `(accountIds: ["${await workspace.account()}"])`,
  async jobPostingUpdated({ address }, workspace) {
    const input = `{ accountId: "${await workspace.account()}", posting: { jobTitle: { text: "x" } } }`;
    const create = `mutation { createJobDraft(input: ${input}) { ... on PnetJobPostingCreated { jobId } } }`;
    return `(jobIds: ["${(await graphql(address, workspace.key, create)).data.createJobDraft.jobId}"])`;
  },
};

/** A document for each subscription field. */
const subscriptions = Object.values(schema.getSubscriptionType()?.getFields() ?? {}).map(({ name, type, args }) => {
  const given = argumentsOf[name];
  if (given === undefined && args.some(isRequiredArgument)) {
    throw new Error(`${name} has required arguments: state them above`);
  }
  const selection = isLeafType(getNamedType(type)) ? '' : ' { __typename }';
  return {
    name,
    documentFor: async (gateway: Gateway, workspace: TestWorkspace) =>
      `subscription { ${name}${(await given?.(gateway, workspace)) ?? ''}${selection} }`,
  };
});

const subscribe = (address: string, key: string, query: string, signal?: AbortSignal) =>
  fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
    body: JSON.stringify({ query }),
    ...(signal === undefined ? {} : { signal }),
  });

/**
 * The results of a stream that has ended, and whether it said that it was complete. Those that tell what there is, as some
 * subscriptions begin with, are left out.
 */
async function resultsOf(response: Response) {
  const text = await response.text();
  const results = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json as string));
  return { results: results.filter(({ errors }) => errors !== undefined), completed: /^event: complete$/m.test(text) };
}

const ending = (name: ErrorName) => ({
  results: [{ errors: [{ extensions: { code: name.toUpperCase(), status: 401, requestId: expect.any(String) } }] }],
  completed: true,
});

const revoke = (gateway: Gateway, { workspaceId }: TestWorkspace) =>
  gateway.app.database.updateTable('api_keys').set({ revoked_at: 1 }).where('workspace_id', '=', workspaceId).execute();

test('there are subscriptions', () => expect(subscriptions).not.toEqual([]));

describe.each(databases)('on $name', (dialect) => {
  /** Two processes on one database, with one clock. */
  async function startTwo({ environment, tuning = {} }: Pick<GatewayOptions, 'environment' | 'tuning'> = {}) {
    const place = await dialect.withSchema();
    const clock = { now: new Date('2026-11-20T12:00:00Z') };
    const options = { environment: { DATABASE_URL: place.url, ...environment }, tuning, clock };
    const [first, second] = [await startGateway(options), await startGateway(options)];
    onTestFinished(async () => {
      await first.close();
      await second.close();
      await place.drop();
    });
    return { first, second, clock, workspace: await first.workspace() };
  }

  describe.each(subscriptions)('$name', ({ documentFor }) => {
    test('ends when its key expires, before anything that happens later', async () => {
      const { first, second, clock, workspace } = await startTwo();
      const expiresAt = new Date(clock.now.getTime() + 60 * 24 * 3_600_000);
      const key = await workspace.newKey({ expiresAt });
      const document = await documentFor(first, workspace);
      const streams = await Promise.all([first, second].map(({ address }) => subscribe(address, key, document)));
      clock.now = new Date(expiresAt.getTime() - 1);
      await Promise.all([first, second].map(({ app }) => app.streams.check()));
      clock.now = expiresAt;
      await Promise.all([first, second].map(({ app }) => app.streams.check()));
      for (const stream of streams) expect(await resultsOf(stream)).toMatchObject(ending('expired_credentials'));
    });

    test('ends in every process when its key is revoked', async () => {
      const { first, second, workspace } = await startTwo();
      const other = await first.workspace();
      const document = await documentFor(first, workspace);
      const streams = await Promise.all(
        [first, second].map(({ address }) => subscribe(address, workspace.key, document)),
      );
      const controller = new AbortController();
      const kept = await subscribe(first.address, other.key, await documentFor(first, other), controller.signal);
      await revoke(first, workspace);
      await Promise.all([first, second].map(({ app }) => app.streams.check()));
      for (const stream of streams) expect(await resultsOf(stream)).toMatchObject(ending('invalid_credentials'));
      // The subscription of another key goes on until the process cuts it, and tells no error.
      expect(first.app.streams.count('subscription')).toBe(1);
      first.app.streams.end();
      expect(await resultsOf(kept)).toEqual({ results: [], completed: false });
    });

    test('is refused beyond the limit of the key, and of the process', async () => {
      const { first, workspace } = await startTwo({ tuning: { streams: { perKey: 2, perProcess: 3 } } });
      const other = await first.workspace();
      const documents = new Map([
        [workspace.key, await documentFor(first, workspace)],
        [other.key, await documentFor(first, other)],
      ]);
      const open = async (key: string) => {
        const document = documents.get(key) ?? '';
        const controller = new AbortController();
        const opened = { controller, response: await subscribe(first.address, key, document, controller.signal) };
        // Kept until then: `fetch` cancels a response that is collected.
        onTestFinished(() => opened.controller.abort());
        return opened;
      };
      const refusal = async ({ response }: Awaited<ReturnType<typeof open>>) => {
        // A stream would not end.
        expect(response.status).not.toBe(200);
        const type = /(?<="code":")\w+/.exec(await response.text())?.[0];
        return [response.status, type, Number(response.headers.get('retry-after')) > 0];
      };
      const full = [503, 'SERVICE_UNAVAILABLE', true];
      const [one] = [await open(workspace.key), await open(workspace.key)];
      expect(await refusal(await open(workspace.key))).toEqual(full);
      expect((await open(other.key)).response.status).toBe(200);
      expect(await refusal(await open(other.key))).toEqual(full);
      // A client that goes makes room.
      one.controller.abort();
      await vi.waitUntil(async () => (await open(other.key)).response.status === 200);
    });
  });
});

test.each(['subscription', 'socket'] as const)('the keys of a workspace leave a %s to others', (kind) => {
  const limits = { perKey: 2, perWorkspace: 4, perProcess: 6 };
  const logger = pino({ level: 'silent' });
  const streams = createStreams({ limits, now: () => new Date(), logger, refusedKeys: null });
  const open = (workspace: string, keyId: string) =>
    streams.open({ ...requestContext(workspace).caller, keyId }, new AbortController().signal, kind);
  const opened = ['a', 'a', 'b', 'b'].map((keyId) => open('greedy', keyId));
  expect(() => open('greedy', 'c')).toThrow('The workspace has 4');
  open('other', 'd').close();
  opened[0]?.close();
  open('greedy', 'c');
  expect(() => open('greedy', 'c')).toThrow('The workspace has 4');
  streams.end();
});

describe('the check', () => {
  const logger = pino({ level: 'silent' });
  const none = new AbortController().signal;
  const limits = { perKey: 10, perWorkspace: 10, perProcess: 10 };
  const callerUntil = (expiresAt: Date | null) => ({ ...requestContext('workspace').caller, expiresAt });
  afterEach(() => vi.useRealTimers());

  test('runs by itself within five seconds, and again after it has failed', async () => {
    vi.useFakeTimers();
    const refusedKeys = vi.fn(async () => new Map());
    refusedKeys.mockRejectedValueOnce(new Error('the database is away'));
    const streams = createStreams({ limits, now: () => new Date(), logger, refusedKeys });
    const stream = streams.open(callerUntil(null), none);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(refusedKeys.mock.calls.length).toBeGreaterThanOrEqual(2);
    stream.close();
    // Nothing is looked up without a stream.
    const { length } = refusedKeys.mock.calls;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(refusedKeys.mock.calls).toHaveLength(length);
  });

  test('that hangs is logged, and does not delay the next, which ends the streams of revoked keys', async () => {
    vi.useFakeTimers();
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    const revoked = new Map([['test-key', expiredKey()]]);
    const refusedKeys = vi.fn(async () => revoked);
    refusedKeys.mockReturnValueOnce(new Promise<never>(() => {}));
    const streams = createStreams({ limits, now: () => new Date(), logger: log, refusedKeys });
    const stream = streams.open(callerUntil(null), none);
    await vi.advanceTimersByTimeAsync(3_999);
    expect(stream.signal.aborted).toBe(false);
    expect(warnings.join()).toContain('could not check the keys of streams');
    await vi.advanceTimersByTimeAsync(1);
    expect(stream.signal.aborted).toBe(true);
  });

  test('is not delayed by streams that open and close', async () => {
    vi.useFakeTimers();
    const refusedKeys = vi.fn(async () => new Map());
    const streams = createStreams({ limits, now: () => new Date(), logger, refusedKeys });
    streams.open(callerUntil(null), none);
    for (let n = 0; n < 50; n += 1) {
      const stream = streams.open(callerUntil(new Date(Date.now() + 3_600_000)), none);
      await vi.advanceTimersByTimeAsync(100);
      stream.close();
    }
    expect(refusedKeys.mock.calls.length).toBeGreaterThanOrEqual(1);
    streams.end();
  });

  test.each([
    ['', 0],
    [', though the clock jumps back', -86_400_000],
  ])('ends a stream when its key expires, even without a database%s', async (_how, jumpMs) => {
    vi.useFakeTimers();
    let ahead = 0;
    const now = () => new Date(Date.now() + ahead);
    const streams = createStreams({ limits, now, logger, refusedKeys: null });
    const stream = streams.open(callerUntil(new Date(Date.now() + 700)), none);
    ahead = jumpMs;
    await vi.advanceTimersByTimeAsync(699);
    expect(stream.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2);
    expect(stream.signal.aborted).toBe(true);
    expect(stream.refusal?.errorName).toBe('expired_credentials');
  });
});
