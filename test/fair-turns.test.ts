import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFairTurns, turnLimits, turnsOfRequest, type Waiter } from '../src/kernel/lib/fair-turns.ts';

const heavy = turnLimits.perTurn;

/** Takes turns, and notes in which turn of the event loop each piece began. */
function recording() {
  const turns = createFairTurns();
  const order: string[] = [];
  const began: number[] = [];
  let turn = 0;
  return {
    order,
    began,
    take: async (owner: string, weight: number, waiter?: Waiter) => {
      await turns.take(owner, weight, waiter);
      order.push(owner);
      began.push(turn);
    },
    async until(promise: Promise<unknown>) {
      let isOver = false;
      const over = promise.then(() => {
        isOver = true;
      });
      for (; !isOver; turn += 1) await setImmediate();
      await over;
    },
  };
}

it('is one turn for all that a request does before it waits for something else', async () => {
  const turn = turnsOfRequest(createFairTurns(), 'a', heavy);
  await turn();
  expect(turn()).toBeNull();
  await Promise.resolve();
  expect(turn()).toBeNull();
  // A part of its own takes turns by its weight.
  expect(turn(heavy)).not.toBeNull();
  await setImmediate();
  expect(turn()).not.toBeNull();
});

it('lets one heavy piece begin in a turn of the event loop', async () => {
  const { take, until, began } = recording();
  await until(Promise.all(Array.from({ length: 24 }, (_, at) => take(`owner ${at}`, heavy))));
  expect(new Set(began).size).toBe(24);
});

it('work that has been given up takes no turn from the work behind it', async () => {
  const { take, until, began } = recording();
  const gone = Array.from({ length: 24 }, () => take('owner', heavy, { isGone: true }));
  await until(Promise.all([...gone, take('owner', heavy, { isGone: false })]));
  expect(new Set(began).size).toBe(1);
});

it('lets several begin that are heavy only together', async () => {
  const { take, until, began } = recording();
  await until(Promise.all(Array.from({ length: 20 }, () => take('owner', heavy / 5))));
  expect(new Set(began).size).toBe(4);
});

it('lets a light one begin at once', () => {
  const turns = createFairTurns();
  for (let at = 0; at < 24; at += 1) turns.take('a', heavy);
  expect(turns.take('a', turnLimits.light)).toBeNull();
});

it('lets whoever has less to do overtake whoever has more, and nobody wait for ever', async () => {
  const { take, until, order } = recording();
  const many = Array.from({ length: 4 }, () => take('many', 10 * heavy));
  await setImmediate();
  const few = Array.from({ length: 30 }, () => take('few', heavy));
  await until(Promise.all([...many, ...few]));
  expect(order.slice(0, 10).filter((owner) => owner === 'few').length).toBeGreaterThan(7);
  expect(order.lastIndexOf('few')).toBeGreaterThan(order.indexOf('many', 1));
});

it('asks again whether a piece is ready, and lets others pass', async () => {
  const turns = createFairTurns();
  const order: string[] = [];
  let isReady = false;
  const waiting = new Promise<void>((resolve) => {
    turns.add({
      owner: 'waiting',
      weight: 1,
      isReady: () => isReady,
      begin: () => {
        order.push('waiting');
        resolve();
      },
    });
  });
  await turns.take('other', heavy)?.then(() => order.push('other'));
  isReady = true;
  await waiting;
  expect(order).toEqual(['other', 'waiting']);
});

it('gives one turn to what becomes ready in a request meanwhile', async () => {
  const turns = createFairTurns();
  const turn = turnsOfRequest(turns, 'owner', heavy);
  const first = turn();
  expect(turn()).toBe(first);
  await first;
  expect(turn()).not.toBe(first);
  expect(turn(heavy)).not.toBe(turn(heavy));
  expect(turn(0)).toBeNull();
  expect(turnsOfRequest(turns, 'owner', 0)()).toBeNull();
});
