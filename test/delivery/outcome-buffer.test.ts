/** Outcomes that wait to be settled, and one among them that cannot be. */
import { expect, it } from 'vitest';
import { createOutcomeBuffer } from '../../src/delivery/outcome-buffer.ts';
import { unsentDecision } from '../../src/delivery/retry-policy.ts';
import type { AttemptOutcome } from '../../src/delivery/settle.ts';

const outcome = (deliveryId: string): AttemptOutcome => ({
  deliveryId,
  claimToken: 'token',
  webhookId: 'w',
  wasFailing: false,
  decision: unsentDecision({ attempt: 1, random: () => 0.5 }),
  attempt: {
    delivery_id: deliveryId,
    number: 1,
    started_at: 0,
    duration_ms: 0,
    status: null,
    failure: null,
    response_body: '',
  },
});
const idsOf = (outcomes: readonly AttemptOutcome[]) => outcomes.map(({ deliveryId }) => deliveryId);

it('all are taken at once; those of a failed batch come last, half as many at once', () => {
  const buffer = createOutcomeBuffer();
  for (const id of ['a', 'b', 'c', 'd']) buffer.add(outcome(id));
  const all = buffer.take();
  expect([idsOf(all), buffer.size]).toEqual([['a', 'b', 'c', 'd'], 0]);
  buffer.add(outcome('e'));
  expect(buffer.returned(all)).toEqual([]);
  expect(idsOf(buffer.take())).toEqual(['e', 'a']);
  buffer.settled();
  expect(idsOf(buffer.take())).toEqual(['b', 'c', 'd']);
});

it('an outcome that cannot be stored is dropped in the end, and the others are stored', () => {
  const buffer = createOutcomeBuffer();
  for (let n = 0; n < 50; n += 1) buffer.add(outcome(n === 17 || n === 30 ? `bad ${n}` : `good ${n}`));
  const [stored, givenUp]: [string[], string[]] = [[], []];
  for (let tries = 0; buffer.size > 0 && tries < 100; tries += 1) {
    const taken = buffer.take();
    if (taken.some(({ deliveryId }) => deliveryId.startsWith('bad'))) {
      givenUp.push(...idsOf(buffer.returned(taken)));
    } else {
      buffer.settled();
      stored.push(...idsOf(taken));
    }
  }
  expect(stored).toHaveLength(48);
  expect(givenUp.sort()).toEqual(['bad 17', 'bad 30']);
});

it('no outcome is dropped while nothing can be stored', () => {
  const buffer = createOutcomeBuffer();
  for (const id of ['a', 'b', 'c']) buffer.add(outcome(id));
  for (let tries = 0; tries < 100; tries += 1) expect(buffer.returned(buffer.take())).toEqual([]);
  expect(buffer.size).toBe(3);
});
