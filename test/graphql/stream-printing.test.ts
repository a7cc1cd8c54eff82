import { expect, test } from 'vitest';
import { Exchange } from '../../src/graphql/exchange.ts';
import { printStreamed } from '../../src/graphql/presentation.ts';
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
