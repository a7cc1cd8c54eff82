/** Outcomes that wait to be settled, and one among them that cannot be. */
import { expect, it } from 'vitest';
import { createOutcomeBuffer } from '../../src/delivery/outcome-buffer.ts';
import { unsentDecision } from '../../src/delivery/retry-policy.ts';
import type { AttemptOutcome } from '../../src/delivery/settle.ts';
import { DatabaseFault, unconfirmed } from '../../src/store/faults.ts';

const outcome = (deliveryId: string, webhookId = 'w', response_body = ''): AttemptOutcome => ({
  deliveryId,
  claimToken: 'token',
  webhookId,
  wasFailing: false,
  decision: unsentDecision({ attempt: 1, random: () => 0.5 }),
  attempt: {
    delivery_id: deliveryId,
    number: 1,
    started_at: 0,
    duration_ms: 0,
    status: null,
    failure: null,
    response_body,
    response_headers: response_body === '' ? null : 'server: s',
  },
});
const idsOf = (outcomes: readonly AttemptOutcome[]) => outcomes.map(({ deliveryId }) => deliveryId);

const refusal = new Error('refused');

it('all are taken at once; a fault of the whole database sets none apart', () => {
  const buffer = createOutcomeBuffer(() => 0);
  for (const id of ['a', 'b']) buffer.add(outcome(id));
  const all = buffer.take();
  expect([idsOf(all), buffer.size]).toEqual([['a', 'b'], 0]);
  expect(buffer.returned(all, new DatabaseFault('unavailable', refusal))).toEqual([]);
  expect([idsOf(buffer.take()), buffer.unstored]).toEqual([['a', 'b'], 0]);
});

it.each([
  ['a fault of the whole database', new DatabaseFault('unavailable', refusal)],
  ['a commit without an answer', unconfirmed(new DatabaseFault('unavailable', refusal))],
])('%s sets none apart, and they come before those that arrived since', (_, fault) => {
  const buffer = createOutcomeBuffer(() => 0);
  buffer.add(outcome('a'));
  const taken = buffer.take();
  buffer.add(outcome('b'));
  expect(buffer.returned(taken, fault)).toEqual([]);
  expect(idsOf(buffer.take())).toEqual(['a', 'b']);
});

it('a commit without an answer takes no body from an outcome that is set apart', () => {
  let now = 0;
  const buffer = createOutcomeBuffer(() => now);
  buffer.add(outcome('a', 'w', 'body'));
  buffer.returned(buffer.take(), refusal);
  const part = buffer.takeApart(false);
  if (part === null) throw new Error('nothing is apart');
  buffer.returnedApart(part, unconfirmed(new DatabaseFault('unavailable', refusal)));
  now = 60_000;
  expect(buffer.takeApart(false)?.outcomes.map(({ attempt }) => attempt.response_body)).toEqual(['body']);
});

it('of those of a webhook, all but the one that cannot be stored are, and it is kept, without its body', () => {
  let now = 0;
  const buffer = createOutcomeBuffer(() => now);
  for (let n = 0; n < 50; n += 1) buffer.add(outcome(n === 17 ? 'bad' : `${n}`, n < 25 ? 'w' : 'x', 'body'));
  expect(buffer.returned(buffer.take(), refusal)).toEqual(['w', 'x']);
  const stored: string[] = [];
  const settle = () => {
    for (let part = buffer.takeApart(false); part !== null; part = buffer.takeApart(false)) {
      if (idsOf(part.outcomes).includes('bad')) buffer.returnedApart(part, refusal);
      else {
        buffer.settledApart(part);
        stored.push(...idsOf(part.outcomes));
      }
    }
  };
  settle();
  expect([stored.length, buffer.unstored, [...buffer.apart]]).toEqual([49, 1, ['w']]);
  buffer.add(outcome('later'));
  settle();
  expect([stored.length, buffer.unstored]).toEqual([50, 1]);
  now = 1_000;
  const part = buffer.takeApart(false);
  expect(part?.outcomes.map(({ attempt }) => [attempt.response_body, attempt.response_headers])).toEqual([['', null]]);
  if (part !== null) expect(buffer.settledApart(part)).toBe(true);
  expect([buffer.size, [...buffer.apart]]).toEqual([0, []]);
});

it('those that wait for a locked row are tried less and less often', () => {
  let now = 0;
  const buffer = createOutcomeBuffer(() => now);
  const locked = new DatabaseFault('slow', refusal);
  buffer.add(outcome('a'));
  buffer.returned(buffer.take(), locked);
  const tries: number[] = [];
  for (; now < 120_000; now += 500) {
    const part = buffer.takeApart(false);
    if (part === null) continue;
    tries.push(now);
    buffer.returnedApart(part, locked);
  }
  expect(tries).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
});

it('those of a webhook with a locked row wait together, and behind those of other webhooks that were not tried', () => {
  let now = 0;
  const buffer = createOutcomeBuffer(() => now);
  const locked = new DatabaseFault('slow', refusal);
  for (const webhookId of ['locked', 'free']) buffer.add(outcome(`first of ${webhookId}`, webhookId));
  buffer.returned(buffer.take(), locked);
  for (let n = 0; n < 5; n += 1) buffer.add(outcome(`${n}`, 'locked'));
  const settle = (isLocked: boolean) => {
    const tries: string[] = [];
    for (let part = buffer.takeApart(false); part !== null; part = buffer.takeApart(false)) {
      tries.push(...idsOf(part.outcomes));
      if (isLocked && part.webhookId === 'locked') buffer.returnedApart(part, locked);
      else buffer.settledApart(part);
    }
    return tries;
  };
  expect(settle(true)).toEqual(['first of locked', 'first of free']);
  now = 1_000;
  buffer.returned([outcome('second of free', 'free')], locked);
  buffer.add(outcome('5', 'locked'));
  expect(settle(true)).toEqual(['second of free', '0']);
  now = 3_000;
  expect(settle(false).toSorted()).toEqual(['0', '1', '2', '3', '4', '5', 'first of locked']);
  expect([buffer.size, [...buffer.apart]]).toEqual([0, []]);
});
