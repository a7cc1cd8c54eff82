/** What one event costs over all the streams that it concerns, and subscriptions whose directives leave no field. */
import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type ExecutionResult,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLSchema,
  getOperationAST,
  parse,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newJobId } from '../../src/capabilities/jobs/repository.ts';
import {
  createStreamTurns,
  type StreamTurn,
  type StreamTurns,
  streamLimits,
} from '../../src/graphql/executors/stream-turns.ts';
import { subscribeInTurns } from '../../src/graphql/executors/subscribe-in-turns.ts';
import { createFairTurns } from '../../src/kernel/lib/fair-turns.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { schema } from '../support/schema.ts';
import { statementsOf } from '../support/statements.ts';

describe('turns', () => {
  const never = new AbortController().signal;
  const turn = (keyId: string, more: Partial<StreamTurn> = {}): StreamTurn => ({
    keyId,
    rights: keyId,
    cost: 1,
    selection: String(Math.random()),
    unread: () => 0,
    signal: never,
    ...more,
  });

  it('execute equal selections of a key once, and those of another key by themselves', async () => {
    const turns = createStreamTurns(createFairTurns());
    let executions = 0;
    const execute = async (): Promise<ExecutionResult> => ({ data: { number: ++executions } });
    const equal = Array.from({ length: 100 }, () => turns.take(turn('a', { selection: 'same' }), execute));
    const other = turns.take(turn('b', { selection: 'same' }), execute);
    expect(new Set((await Promise.all(equal)).map(({ data }) => data?.number)).size).toBe(1);
    await other;
    expect(executions).toBe(2);
    await turns.take(turn('a', { selection: 'same' }), execute);
    expect(executions).toBe(3);
  });

  it('execute one costly selection at a time, and the next of another key before those of the same', async () => {
    const turns = createStreamTurns(createFairTurns());
    let running = 0;
    const order: string[] = [];
    const execute = (keyId: string) => async () => {
      running += 1;
      expect(running).toBe(1);
      order.push(keyId);
      await setImmediate();
      running -= 1;
      return {};
    };
    const costly = ['a', 'a', 'a', 'b'].map((keyId) =>
      turns.take(turn(keyId, { cost: streamLimits.cost }), execute(keyId)),
    );
    await Promise.all(costly);
    expect(order).toEqual(['a', 'b', 'a', 'a']);
  });

  it('pass by a key whose clients have not read what they were sent, until they have', async () => {
    const turns = createStreamTurns(createFairTurns());
    let bytes: number = streamLimits.unreadBytes + 1;
    const slow = turn('a', { unread: () => bytes });
    const { end } = turns.open(slow);
    let isGiven = false;
    const waiting = turns.take(slow, async () => {
      isGiven = true;
      return {};
    });
    await turns.take(turn('b'), async () => ({}));
    expect(isGiven).toBe(false);
    bytes = 0;
    await waiting;
    end();
  });

  it('give a large result to one stream after the other, as they are read', async () => {
    const turns = createStreamTurns(createFairTurns());
    const given: number[] = [];
    const unread = [0, 0, 0];
    let executions = 0;
    const all = unread.map((_, at) => {
      const stream = turn('a', {
        selection: 'same',
        unread: () => unread[at] ?? 0,
        took: () => {
          given.push(at);
          unread[at] = streamLimits.unreadBytes + 1;
        },
      });
      turns.open(stream);
      return turns.take(stream, async () => ({ data: { number: ++executions } }));
    });
    for (const at of unread.keys()) {
      await all[at];
      // Another key waits for none of them.
      await turns.take(turn('b'), async () => ({}));
      expect(given).toHaveLength(at + 1);
      unread[at] = 0;
    }
    expect(executions).toBe(1);
  });

  it('execute few selections of a key at once, as nobody knows how large the results are', async () => {
    const turns = createStreamTurns(createFairTurns());
    let running = 0;
    let most = 0;
    const execute = async () => {
      most = Math.max(most, ++running);
      await setImmediate();
      running -= 1;
      return {};
    };
    await Promise.all(Array.from({ length: 20 }, () => turns.take(turn('a'), execute)));
    expect(most).toBe(streamLimits.ofKey);
  });

  it('execute the light selection of a key whatever others execute', async () => {
    const turns = createStreamTurns(createFairTurns());
    const running = Promise.withResolvers<ExecutionResult>();
    const keys = ['a', 'b', 'c', 'd', 'e'];
    let begun = 0;
    const execute = () => {
      begun += 1;
      return running.promise;
    };
    const heavy = keys.flatMap((key) =>
      Array.from({ length: 5 }, () => turns.take(turn(key, { cost: 1_000 }), execute)),
    );
    await expect.poll(() => begun).toBe(streamLimits.cost / streamLimits.leastCost);
    let more = 0;
    const small = async (): Promise<ExecutionResult> => ({ data: { more: ++more } });
    const waiting = turns.take(turn('f', { cost: 1_000 }), small);
    const light = turns.take(turn('f', { cost: streamLimits.light }), small);
    const other = turns.take(turn('g', { cost: streamLimits.light }), small);
    await Promise.race([other, setTimeout(2_000)]);
    expect(more).toBe(1);
    running.resolve({});
    await Promise.all([...heavy, waiting, light]);
  });

  it('give nothing more to a key with unread bytes while the process has too many', async () => {
    const turns = createStreamTurns(createFairTurns());
    const few = turn('few', { unread: () => 1 });
    const many = Array.from({ length: 5 }, (_, at) => turn(`key ${at}`, { unread: () => bytes }));
    let bytes: number = streamLimits.unreadBytes;
    const opened = [few, ...many].map((each) => turns.open(each));
    let isGiven = false;
    const waiting = turns.take(few, async () => {
      isGiven = true;
      return {};
    });
    await turns.take(turn('none'), async () => ({}));
    expect(isGiven).toBe(false);
    bytes = 0;
    await waiting;
    for (const { end } of opened) end();
  });

  it('keep nothing of a stream whose client went away while its source was opened', async () => {
    const client = new AbortController();
    const tick: GraphQLFieldConfig<unknown, unknown> = {
      type: GraphQLInt,
      subscribe: async function* () {
        yield { tick: 1 };
      },
    };
    const subscription = new GraphQLObjectType({ name: 'Subscription', fields: { tick } });
    const schema = new GraphQLSchema({ query: subscription, subscription });
    const open = new Set<object>();
    const turns: StreamTurns = {
      ...createStreamTurns(createFairTurns()),
      open(opened) {
        open.add(opened);
        return { end: () => open.delete(opened) };
      },
    };
    const document = parse('subscription { tick }');
    const operation = getOperationAST(document, undefined);
    if (!operation) throw new Error('The document has no operation');
    const subscribing = subscribeInTurns(
      { schema, document, operation, values: {}, context: undefined },
      {},
      turns,
      turn('a', { signal: client.signal }),
      { begin: () => ({ context: undefined, end() {} }), print: async () => undefined, bytesOf: () => 0 },
    );
    client.abort();
    await subscribing;
    expect(open.size).toBe(0);
  });
});

/** Bytes of the heap that are in use, without garbage. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let n = 0; n < 3; n += 1) collect();
  return process.memoryUsage().heapUsed;
}

describe('one event', () => {
  let gateway: Gateway;
  let space: TestWorkspace;
  let accountId: string;

  beforeAll(async () => {
    gateway = await startGateway();
    space = await gateway.workspace();
    accountId = await space.account();
    const created_at = gateway.clock.now.getTime();
    const rows = Array.from({ length: 250 }, () => ({
      id: newJobId(randomBytes),
      workspace_id: space.workspaceId,
      account_id: accountId,
      ...({ state: 'draft', fields: '{}', checkpoint: null, claimed_until: 0, claimed_by: null } as const),
      ...({ publication: null, created_at, updated_at: created_at } as const),
    }));
    await gateway.app.database.insertInto('jobs').values(rows).execute();
  });
  afterAll(() => gateway.close());

  const lists = (prefix: string) =>
    Array.from(
      { length: 4 },
      (_, at) => `${prefix}${at}: jobPostings(first: 250) { nodes { id jobId accountId state createdAt updatedAt } }`,
    );

  /** Opens a stream. @returns a function that resolves with how many events it has had, once there are so many */
  async function open(prefix: string) {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const query = `subscription { accountUpdated(accountIds: ["${accountId}"]) { name ${lists(prefix).join(' ')} } }`;
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': space.key },
      body: JSON.stringify({ query }),
      signal: leaving.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    return async (name: string) => {
      for (;;) {
        const chunk = await reader?.read();
        rest = rest.slice(-200) + (chunk?.value ?? '');
        if (chunk === undefined || chunk.done) return expect.unreachable(rest);
        if (rest.includes(`"name":"${name}"`)) return undefined;
      }
    };
  }

  async function rename(name: string) {
    await gateway.app.database.updateTable('accounts').set({ name }).where('id', '=', accountId).execute();
  }

  it('is executed once for equal selections', { timeout: 120_000 }, async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => open('same')));
    await Promise.all(streams.map((named) => named('PNET')));
    const statements = await statementsOf(space.workspaceId, async () => {
      await rename('once');
      await Promise.all(streams.map((named) => named('once')));
    });
    // Those that come when the execution has ended are executed again.
    expect(statements.filter((sql) => sql.includes('from "jobs"')).length).toBeLessThan(10);
  });

  it('leaves room for another workspace, however many selections there are', { timeout: 120_000 }, async () => {
    const other = await gateway.workspace();
    const streams = await Promise.all(Array.from({ length: 20 }, (_, at) => open(`n${at}x`)));
    await Promise.all(streams.map((named) => named('once')));
    let isBusy = true;
    await rename('many');
    const told = Promise.all(streams.map((named) => named('many'))).then(() => {
      isBusy = false;
    });
    let between = 0;
    for (; isBusy; between += 1) expect((await graphql(gateway.address, other.key, '{ __typename }')).status).toBe(200);
    await told;
    // Between the selections, not after the last of them.
    expect(between).toBeGreaterThan(5);
  });

  it('is kept by no stream that has told it', { timeout: 60_000 }, async () => {
    const input = { requestUrl: 'https://hooks.example/', source: 'USERS', isEnabled: false };
    const create = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename } }`;
    await graphql(gateway.address, space.key, create, { input });
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const streams = Array.from({ length: 20 }, async (_, at) => {
      const response = await fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': space.key },
        body: JSON.stringify({ query: `subscription { deliveryUpdated { d${at}: data } }` }),
        signal: leaving.signal,
      });
      return response.body?.getReader();
    });
    const readers = await Promise.all(streams);
    await Promise.all(readers.map((reader) => reader?.read()));
    const before = settledHeap();
    const data = { user_full_name: 'x'.repeat(900_000) };
    const emit = `mutation ($input: EmitEventInput!) { emitEvent(input: $input) { ... on EventEmitted { eventId } } }`;
    const emitted = await graphql(gateway.address, space.key, emit, {
      input: { accountId, event: 'NEW_RELATION', data },
    });
    expect(emitted.data.emitEvent.eventId).toBeDefined();
    const told = readers.map(async (reader) => {
      for (let bytes = 0; bytes < 900_000; ) bytes += (await reader?.read())?.value?.length ?? 0;
    });
    await Promise.all(told);
    expect(settledHeap() - before).toBeLessThan(5 * 900_000);
  });

  const roots = Object.values(schema.getSubscriptionType()?.getFields() ?? {}).map(({ name, args }) => {
    const required = args.filter(({ type }) => String(type).endsWith('!'));
    return `${name}${required.length === 0 ? '' : `(${required.map((arg) => `${arg.name}: ["1"]`).join()})`}`;
  });
  const accepted = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0, application/json'];

  it.each(roots)('without a field is refused: %s', async (root) => {
    const field = (directive: string) => `${root} ${directive} { __typename }`;
    const documents = [
      `subscription { ${field('@skip(if: true)')} }`,
      `subscription { ${field('@include(if: false)')} }`,
      `subscription ($skip: Boolean!) { ${field('@skip(if: $skip)')} }`,
      `subscription ($skip: Boolean = true) { ... @skip(if: $skip) { ${field('')} } }`,
      `subscription { ...Root @skip(if: true) } fragment Root on Subscription { ${field('')} }`,
      `subscription { ...Root } fragment Root on Subscription { ${field('@include(if: false)')} }`,
    ];
    for (const [at, query] of documents.entries()) {
      const accept = accepted[at % 2] ?? '';
      const response = await fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, 'x-api-key': space.key },
        body: JSON.stringify({ query, variables: query.includes('$skip: Boolean!') ? { skip: true } : {} }),
      });
      const text = await response.text();
      expect(text, query).toContain('INVALID_PARAMETERS');
      expect(text, query).toContain('The subscription selects no field');
    }
    expect(gateway.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it.each(roots)('with a field that its variables leave is a stream: %s', async (root) => {
    const stop = new AbortController();
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': space.key },
      body: JSON.stringify({
        query: `subscription ($skip: Boolean!) { ${root} @skip(if: $skip) { __typename } }`,
        variables: { skip: false },
      }),
      signal: stop.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.status).toBe(200);
    stop.abort();
  });

  it.each([
    ['a { __typename } b { __typename }', 'must select only one top level field'],
    ['a @skip(if: true) { __typename } b { __typename }', 'must select only one top level field'],
    ['__typename', 'must not select an introspection top level field'],
  ])('of { %s } is not valid', async (selection, message) => {
    const [root = ''] = roots;
    const query = `subscription { ${selection.replaceAll(/\b[ab] /g, (alias) => `${alias.trim()}: ${root} `)} }`;
    const { errors } = await graphql(gateway.address, space.key, query);
    expect(errors[0]?.message).toContain(message);
  });
});
