import { buildSchema, type ExecutionResult } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { expect, test } from 'vitest';
import { events, parts, streamIn } from '../../src/graphql/doors/stream-bodies.ts';
import { next } from '../../src/graphql/doors/websocket-messages.ts';
import { Exchange } from '../../src/graphql/exchange.ts';
import { printForAll, printStreamed } from '../../src/graphql/presentation.ts';
import type { IncomingRequest } from '../../src/http/incoming-request.ts';
import { createFairTurns } from '../../src/kernel/lib/fair-turns.ts';

test('a large result of a stream is printed in turns', async () => {
  const weights: number[] = [];
  const take = (_owner: string, weight: number) => {
    weights.push(weight);
    return null;
  };
  const request = { id: 'test', facts: {}, headers: {} } as IncomingRequest;
  const exchange = new Exchange(request, { maxCost: 1, turns: { ...createFairTurns(), take } });
  const result = { data: { text: 'ü'.repeat(2_000_000) } };
  const { body } = await printStreamed(result, exchange, { maxResponseBytes: 2 ** 24, suggestions: true });
  expect(Buffer.from(body).toString()).toBe(JSON.stringify(result));
  expect(weights.length).toBeGreaterThan(3);
});

test('a result of many streams is printed once, and they share its bytes', async () => {
  const options = { maxResponseBytes: 2 ** 24, suggestions: true };
  const clientAborted = new AbortController().signal;
  const exchangeOf = (id: string) =>
    new Exchange({ id, facts: {}, headers: {}, clientAborted } as unknown as IncomingRequest, {
      maxCost: 1,
      turns: createFairTurns(),
    });
  const result = { data: { text: 'x'.repeat(2_000_000) } };
  await printForAll(result, exchangeOf('first'), options);
  const printed = await Promise.all(['one', 'two'].map((id) => printStreamed(result, exchangeOf(id), options)));
  expect(printed[0]?.body).toBeInstanceOf(Uint8Array);
  expect(printed[0]?.body).toBe(printed[1]?.body);
  const chunksOf = async (response: Response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    return chunks;
  };
  const each = async function* () {
    yield printed[0] as unknown as ExecutionResult;
  };
  const { fetchAPI } = createYoga({ schema: buildSchema('type Query { a: Int }') });
  for (const framing of [events, parts]) {
    const chunks = await chunksOf(streamIn(framing, [])(each(), fetchAPI));
    expect(chunks.some((chunk) => chunk === printed[0]?.body)).toBe(true);
  }
  expect(next('id', printed[0]?.body ?? '')).toContain(printed[0]?.body);
});

test('a result that is refused as too large is told to each stream with the id of its request', async () => {
  const options = { maxResponseBytes: 1_000, suggestions: true };
  const log = { warn() {}, info() {}, error() {} };
  const exchangeOf = (id: string) =>
    new Exchange({ id, facts: {}, headers: {}, log, addHeaders() {} } as unknown as IncomingRequest, {
      maxCost: 1,
      turns: createFairTurns(),
    });
  const result = { data: { text: 'x'.repeat(2_000) } };
  await printForAll(result, exchangeOf('first'), options);
  for (const id of ['one', 'two']) {
    const { errors } = await printStreamed(result, exchangeOf(id), options);
    expect(errors[0]?.extensions).toMatchObject({ code: 'LIMIT_TOO_HIGH', requestId: id });
  }
});
