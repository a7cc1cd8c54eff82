/** What holds the event loop without reading anything waits for its turn as well. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { buildSchema } from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { weightOfWrite } from '../../src/graphql/cost/weights.ts';
import { rememberedDocuments } from '../../src/graphql/documents/known-documents.ts';
import { Exchange } from '../../src/graphql/exchange.ts';
import { resolving } from '../../src/graphql/executors/resolving/run.ts';
import { coerce, knowOperation, validate } from '../../src/graphql/stages.ts';
import { IncomingRequest } from '../../src/http/incoming-request.ts';
import { createFairTurns, turnLimits } from '../../src/kernel/lib/fair-turns.ts';

const schema = buildSchema('type Query { a: Int b(ids: [Int!]): Int } type Mutation { write: Int }');
const large = `{ a ${'#'.repeat(20_000)}\n}`;
const small = '{ a }';

/** An exchange whose turns come when they are given. */
function waitingExchange(text: string) {
  const gone = new AbortController();
  const weights: number[] = [];
  let give = () => {};
  const take = (_owner: string, weight: number) => {
    if (weight <= turnLimits.light) return null;
    weights.push(weight);
    return new Promise<void>((resolve) => {
      give = resolve;
    });
  };
  const request = {
    id: 'test',
    ip: '192.0.2.1',
    facts: {},
    headers: {},
    clientAborted: gone.signal,
  } as IncomingRequest;
  const exchange = new Exchange(request, { maxCost: 1, turns: { ...createFairTurns(), take } });
  exchange.text = text;
  return { exchange, weights, give: () => give(), leave: () => gone.abort() };
}

const options = { schema, introspection: true, compiling: null };

test('a large document is parsed in its turn, once', async () => {
  const documentOf = rememberedDocuments(options);
  const { exchange, weights, give } = waitingExchange(large);
  const stage = knowOperation({ documentOf });
  const known = stage(exchange);
  expect(documentOf.remembers(large)).toBe(false);
  give();
  await known;
  expect(documentOf.remembers(large)).toBe(true);
  expect(weights.length).toBe(1);
  expect(stage(exchange)).toBeNull();
});

test('errors of variables and of a document are told in their turn if they are many', async () => {
  const documentOf = rememberedDocuments(options);
  const unknown = Array.from({ length: 40 }, (_, at) => `a${at}: unknown`).join(' ');
  const { exchange, weights, give } = waitingExchange(`{ ${unknown} }`);
  knowOperation({ documentOf })(exchange);
  const refused = validate()(exchange);
  expect(refused).toBeInstanceOf(Promise);
  give();
  expect(await refused).toMatchObject({ result: { errors: { length: 40 } } });
  const other = waitingExchange('query ($ids: [Int!]) { b(ids: $ids) }');
  other.exchange.variables = { ids: Array(40).fill('x') };
  knowOperation({ documentOf })(other.exchange);
  expect(coerce()(other.exchange)).toBeInstanceOf(Promise);
  expect([weights, other.weights]).toEqual([[1_000], [1_000]]);
});

test('a small document waits for no turn', () => {
  const { exchange } = waitingExchange(small);
  expect(knowOperation({ documentOf: rememberedDocuments(options) })(exchange)).toBeNull();
});

const executorOptions = { schema, ports: {}, cursors: {}, storedResponses: null, createLoaders: () => ({}) };

test.each([
  ['one write begins at once: it waits for a port', '{ write }', weightOfWrite + turnLimits.light, []],
  ['further writes wait for a turn', '{ write b: write }', 2 * weightOfWrite, [weightOfWrite]],
])('%s', (_what, fields, requestedCost, expected) => {
  const { exchange, weights } = waitingExchange('');
  const operation = rememberedDocuments(options)(`mutation ${fields}`).find(null);
  if (operation === undefined) throw new Error('The document has no operation');
  exchange.operation = operation;
  exchange.cost = { requestedCost, limit: requestedCost };
  exchange.turn();
  expect(weights).toEqual(expected);
});

test('an operation is executed in its turn', async () => {
  const execute = resolving(executorOptions as unknown as Parameters<typeof resolving>[0]);
  const { exchange, give } = waitingExchange(small);
  const operation = rememberedDocuments(options)(small).find(null);
  if (operation === undefined) throw new Error('The document has no operation');
  exchange.operation = operation;
  exchange.cost = { requestedCost: turnLimits.perTurn, limit: turnLimits.perTurn };
  let isExecuted = false;
  const outcome = Promise.resolve(execute(exchange)).then(() => {
    isExecuted = true;
  });
  await new Promise(setImmediate);
  expect(isExecuted).toBe(false);
  give();
  await outcome;
  expect(isExecuted).toBe(true);
});

test('an operation is not executed if its client goes before its turn', async () => {
  const execute = resolving(executorOptions as unknown as Parameters<typeof resolving>[0]);
  const { exchange, give, leave } = waitingExchange(small);
  const operation = rememberedDocuments(options)(small).find(null);
  if (operation === undefined) throw new Error('The document has no operation');
  exchange.operation = operation;
  exchange.cost = { requestedCost: turnLimits.perTurn, limit: turnLimits.perTurn };
  const outcome = execute(exchange);
  expect(exchange.isGone).toBe(false);
  leave();
  give();
  await expect(outcome).rejects.toMatchObject({ name: 'AbortError' });
  expect(exchange.isGone).toBe(true);
});

test('a large body is parsed in its turn, a small one at once', async () => {
  const { exchange, weights, give } = waitingExchange('');
  const turns = { ...createFairTurns(), take: (_owner: string, weight: number) => exchange.turnBefore(weight) };
  const received = (text: string) => {
    const raw = new IncomingMessage(new Socket());
    const request = new IncomingRequest(raw, new ServerResponse(raw), {
      ...{ isTrustedProxy: () => false, turns },
      logger: pino({ level: 'silent' }),
    });
    const json = request.json();
    raw.push(text);
    raw.push(null);
    return json;
  };
  expect(await received('{}')).toEqual({});
  let isParsed = false;
  const large = Promise.resolve(received(`{"a":"${'x'.repeat(500_000)}"}`)).then(() => {
    isParsed = true;
  });
  await expect.poll(() => weights.length).toBe(1);
  expect(isParsed).toBe(false);
  give();
  await large;
});
