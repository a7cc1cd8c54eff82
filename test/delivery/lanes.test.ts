/** Lanes: an AIMD limiter for each destination, and fairness between them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { allocateFairly } from '../../src/delivery/claim-quota.ts';
import type { LaneResult } from '../../src/delivery/lane.ts';
import { createLanes, type LaneLimits, type Lanes, laneLimits } from '../../src/delivery/lanes.ts';
import type { ClaimedDelivery } from '../../src/delivery/queue.ts';

const limits: LaneLimits = {
  slots: 20,
  firstSlots: 20,
  allSlots: 40,
  perDestination: 12,
  initial: 4,
  slowAfterMs: 1_000,
  probeMs: 250,
  yieldAfterMs: 2_000,
  bytes: 1_600,
};
/** The room for bytes while no payload has any. */
const bytes = { total: 100, parts: { notQuick: 600, slow: 400 }, perDestination: new Map(), default: 200 };

let clock = 0;
let lanes: Lanes;
let count = 0;

const delivery = (webhookId: string, failing = false, size = 0): ClaimedDelivery => {
  count += 1;
  return {
    deliveryId: `${webhookId}-${count}`,
    body: Buffer.alloc(size),
    number: 1,
    attempt: 1,
    revision: 0,
    traceparent: null,
    claimToken: 'token',
    destination: {
      webhookId,
      failing,
      target: {
        url: new URL('https://hooks.example/'),
        headers: [],
        ownNames: new Set(),
        sentHeaders: [],
        secrets: [],
      },
    },
  };
};
const add = (webhookId: string, number: number, failing = false) => {
  for (let n = 0; n < number; n += 1) lanes.add(delivery(webhookId, failing));
};
/** Takes a slot, and begins a request. */
const send = (): ClaimedDelivery | null => {
  const taken = lanes.take();
  if (taken !== null) lanes.begin(taken);
  return taken;
};
/** Sends while a slot is free. */
const takeAll = (): ClaimedDelivery[] => {
  const taken: ClaimedDelivery[] = [];
  for (let next = send(); next !== null; next = send()) taken.push(next);
  return taken;
};
const webhooksOf = (deliveries: readonly ClaimedDelivery[]) =>
  deliveries.map(({ destination }) => destination.webhookId);
/** Sends one delivery, and lets it end. */
const sendOne = (webhookId: string, result: LaneResult, ms = 0) => {
  add(webhookId, 1);
  const taken = send();
  if (taken === null) throw new Error('there is no slot');
  clock += ms;
  lanes.release(taken, result);
};
/** Lets destinations answer once, so that they are quick, and trusted with the initial limit. */
const know = (...ids: readonly string[]) => {
  for (const id of ids) sendOne(id, 'failure');
};
/** The requests at once that a lane without requests allows. */
const limitOf = (webhookId: string): number => {
  add(webhookId, 50);
  const taken = takeAll();
  lanes.drain(webhookId);
  for (const each of taken) lanes.release(each, 'failure');
  return taken.length;
};

beforeEach(() => {
  clock = 0;
  lanes = createLanes(limits, () => clock);
});

describe('the limit of a lane', () => {
  it('is one until the destination has answered, then the initial one, and still one for a destination that is failing', () => {
    expect(limitOf('a')).toBe(1);
    // That request has ended.
    expect(limitOf('a')).toBe(4);
    expect([limitOf('b'), limitOf('b')]).toEqual([1, 4]);
    add('c', 9, true);
    const [probe] = takeAll();
    if (probe !== undefined) lanes.release(probe, 'failure');
    expect(takeAll()).toHaveLength(1);
  });

  it('grows by one with each quick success, up to the highest', () => {
    sendOne('a', 'success');
    expect(limitOf('a')).toBe(5);
    for (let n = 0; n < 30; n += 1) sendOne('a', 'success');
    expect(limitOf('a')).toBe(12);
  });

  it('halves with each sign of overload, down to one', () => {
    for (let n = 0; n < 5; n += 1) sendOne('a', 'success');
    sendOne('a', 'overload');
    expect(limitOf('a')).toBe(4);
    for (const expected of [2, 1, 1]) {
      sendOne('a', 'overload');
      expect(limitOf('a')).toBe(expected);
    }
  });

  it('stays as it is with a failure, and with a success that was slow', () => {
    sendOne('a', 'failure');
    expect(limitOf('a')).toBe(4);
    sendOne('a', 'success', limits.slowAfterMs);
    expect(limitOf('a')).toBe(4);
    sendOne('a', 'success', limits.slowAfterMs - 1);
    expect(limitOf('a')).toBe(5);
  });
});

describe('slots', () => {
  it('go to the destinations in turn', () => {
    know('a', 'b', 'c');
    add('a', 3);
    add('b', 2);
    add('c', 1);
    expect(webhooksOf(takeAll())).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('are passed on by a lane at its limit', () => {
    know('a', 'b');
    add('a', 9);
    add('b', 9);
    expect(webhooksOf(takeAll())).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b']);
    expect([lanes.sending, lanes.queued]).toEqual([8, 10]);
  });

  it('are all taken by requests that are recent, and free again as requests end', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    know(...ids);
    for (const id of ids) add(id, 4);
    const taken = takeAll();
    expect(taken).toHaveLength(limits.slots);
    for (const each of taken.slice(0, 3)) lanes.release(each, 'failure');
    expect(takeAll()).toHaveLength(3);
  });

  it('are given up by slow requests, each time half of the places that are left at most', () => {
    const ids = Array.from({ length: 100 }, (_, n) => `${n}`);
    know(...ids);
    for (const id of ids) add(id, 1);
    const sent = Array.from({ length: 6 }, () => {
      const { length } = takeAll();
      clock += limits.slowAfterMs;
      return length;
    });
    expect(sent).toEqual([20, 10, 5, 3, 1, 1]);
    expect(lanes.sending).toBe(limits.allSlots);
  });
});

describe('the quota', () => {
  const parts = { notQuick: 30, slow: 20 };

  it('leaves out what is queued and sent, and prefetches for a lane that has grown', () => {
    for (let n = 0; n < 4; n += 1) sendOne('a', 'success');
    sendOne('b', 'overload');
    add('a', 10);
    add('b', 3);
    expect(takeAll()).toHaveLength(8 + 2);
    expect(lanes.quota()).toEqual({
      total: 40 - 13,
      parts,
      standings: new Map([
        ['a', 'quick'],
        ['b', 'quick'],
      ]),
      // Four times its limit of 8 for one that keeps up; for one that does not, nothing.
      perDestination: new Map([
        ['a', 32 - 10],
        ['b', 2 - 3],
      ]),
      default: 1,
      bytes,
      cursor: 'b',
    });
  });
});

describe('bytes', () => {
  const addBytes = (webhookId: string, size: number) => lanes.add(delivery(webhookId, false, size));
  const room = () => lanes.quota()?.bytes;

  it('are claimed up to a sixteenth at once, and an eighth for one destination', () => {
    expect(room()).toEqual(bytes);
    know('a');
    addBytes('a', 150);
    expect(room()).toEqual({ ...bytes, perDestination: new Map([['a', 50]]) });
    addBytes('a', 90);
    expect(room()).toEqual({ ...bytes, perDestination: new Map([['a', -40]]) });
  });

  it('of destinations that are unknown, or slow, leave a part to others', () => {
    addBytes('a', 150);
    expect(room()?.parts).toEqual({ notQuick: 450, slow: 400 });
    takeAll();
    clock += limits.slowAfterMs;
    expect(room()?.parts).toEqual({ notQuick: 600, slow: 400 });
    for (const id of ['b', 'c', 'd', 'e']) addBytes(id, 100);
    expect(room()?.parts).toEqual({ notQuick: 200, slow: 200 });
  });

  it('that wait or were sent just now take no more than half', () => {
    for (const id of ['a', 'b', 'c', 'd']) addBytes(id, 190);
    expect(room()).toMatchObject({ total: 40 });
    takeAll();
    expect(room()).toMatchObject({ total: 40 });
    addBytes('e', 40);
    expect(lanes.quota()).toBeNull();
  });

  it('of slow requests leave half to others, and all together are bounded', () => {
    for (const id of ['a', 'b', 'c', 'd']) addBytes(id, 200);
    takeAll();
    expect(lanes.quota()).toBeNull();
    clock += limits.slowAfterMs;
    expect(room()).toMatchObject({ total: 100 });
    for (const id of ['e', 'f', 'g', 'h']) addBytes(id, 200);
    takeAll();
    clock += limits.slowAfterMs;
    expect(lanes.quota()).toBeNull();
  });

  it('are free again when a request ends, and when what waits is removed', () => {
    for (const id of ['a', 'b', 'c', 'd']) addBytes(id, 200);
    const [first] = takeAll();
    if (first !== undefined) lanes.release(first, 'success');
    expect(room()).toMatchObject({ total: 100 });
    addBytes('b', 200);
    expect(lanes.quota()).toBeNull();
    lanes.drain('b');
    expect(room()).toMatchObject({ total: 100 });
  });
});

it('lanes that are idle are dropped when there are thousands, and those in use are not', () => {
  sendOne('kept', 'overload');
  add('kept', 1);
  const inUse = send();
  for (let n = 0; n < 10_001; n += 1) sendOne(`w${n}`, 'overload');
  // A dropped lane begins anew, the one in use goes on where it was: two at once, one of them being sent.
  know('w0');
  expect(limitOf('w0')).toBe(4);
  expect(limitOf('kept')).toBe(1);
  expect(inUse).not.toBeNull();
});

describe('under a load of destinations that accept and never answer', () => {
  const deadlineSeconds = 15;
  const places = laneLimits.allSlots;

  /**
   * Each second claims what there is room for and begins what can begin. The hanging ones always have deliveries due; a guest
   * has one, and answers at once.
   * @returns the places that are held at the end of each second, and the guests that got none in theirs
   */
  const saturate = (count: number, guestsOf: (second: number) => readonly string[]) => {
    lanes = createLanes(laneLimits, () => clock);
    sendOne('answers', 'success');
    const hanging = Array.from({ length: count }, (_, n) => ({ id: `hangs ${n}`, failing: false }));
    const begun: ClaimedDelivery[][] = [];
    const held: number[] = [];
    const unserved: string[] = [];
    for (let second = 0; second < 4 * deadlineSeconds; second += 1) {
      clock = (second + 1) * laneLimits.slowAfterMs;
      const ended = begun[second - deadlineSeconds] ?? [];
      for (const each of ended) lanes.release(each, 'overload');
      const hung = new Set(webhooksOf(ended));
      for (const [n, { id }] of hanging.entries()) if (hung.has(id)) hanging[n] = { id, failing: true };
      const guests = new Set(guestsOf(second));
      const quota = lanes.quota();
      const due = [...hanging, ...[...guests].map((id) => ({ id, failing: false }))];
      for (const [id, number] of quota === null ? [] : allocateFairly(due, quota).shares) {
        add(id, guests.has(id) ? 1 : number);
      }
      const { answered = [], silent = [] } = Object.groupBy(takeAll(), ({ destination: { webhookId } }) =>
        webhookId.startsWith('hangs') ? 'silent' : 'answered',
      );
      for (const each of answered) {
        guests.delete(each.destination.webhookId);
        lanes.release(each, 'success');
      }
      unserved.push(...guests);
      begun.push(silent);
      const all = webhooksOf(begun.slice(-deadlineSeconds).flat());
      expect(new Set(all).size).toBe(all.length);
      held.push(all.length);
    }
    return { held, unserved };
  };

  it.each([150, 2_000])(
    'each of %i holds one place, all together their part, and one that answers has a place at once',
    (count) => {
      const { held, unserved } = saturate(count, () => ['answers']);
      expect(unserved).toEqual([]);
      expect(Math.max(...held)).toBeLessThanOrEqual(Math.min(count, (places * 3) / 4));
      expect(Math.max(...held)).toBeGreaterThan(Math.min(count, places / 2) - 1);
    },
  );

  it.each([150, 2_000])('one that is unknown has a place at once beside %i that have hung before', (count) => {
    const { unserved } = saturate(count, (second) => (second > 45 ? [`new ${second}`] : []));
    expect(unserved).toEqual([]);
  });
});

describe('when thousands of destinations are new at the same moment, and hang', () => {
  const stepMs = 50;

  /**
   * In each step claims what there is room for, ends the probes that are to yield, and begins what can begin.
   * @returns when the first request to each began, and the most requests in flight
   */
  const flood = (count: number) => {
    lanes = createLanes(laneLimits, () => clock);
    const began = new Map<string, number>();
    const ids = Array.from({ length: count }, (_, n) => `new ${n}`);
    let most = 0;
    for (clock = stepMs; began.size < count && clock < 60_000; clock += stepMs) {
      const quota = lanes.quota();
      if (quota !== null) {
        const due = ids.filter((id) => !quota.standings.has(id)).map((id) => ({ id, failing: false }));
        const { shares, waiting } = allocateFairly(due, quota);
        for (const [id, number] of shares) add(id, number);
        for (const each of lanes.yielding(waiting)) lanes.release(each, 'overload');
      }
      for (const id of webhooksOf(takeAll())) began.set(id, clock);
      most = Math.max(most, lanes.sending);
    }
    return { last: Math.max(...began.values()), most, begun: began.size };
  };

  it.each([
    [700, 3_000],
    [2_000, 6_000],
    [5_000, 15_000],
  ])('each of %i has its first request within %i ms, and all together no more than their places', (count, ms) => {
    const { last, most, begun } = flood(count);
    expect(begun).toBe(count);
    expect(last).toBeLessThan(ms);
    expect(most).toBeLessThanOrEqual((laneLimits.allSlots * 3) / 4);
  });

  it('a probe keeps its place while nobody waits for it, and one that yields is slow from then on', () => {
    add('a', 1);
    const [probe] = takeAll();
    clock += limits.yieldAfterMs;
    expect(lanes.yielding(0)).toEqual([]);
    // There are places for these.
    expect(lanes.yielding(29)).toEqual([]);
    expect(lanes.yielding(30)).toEqual([probe]);
    clock -= 1;
    expect(lanes.yielding(30)).toEqual([]);
    if (probe !== undefined) lanes.release(probe, 'overload');
    expect(lanes.quota()?.standings.get('a')).toBe('slow');
  });
});

it('a probe gives up its slot early, and is quick all the same if it ends in time', () => {
  add('a', 1);
  const [probe] = takeAll();
  expect(lanes.nextSlotMs()).toBeNull();
  add('b', 1);
  expect(lanes.nextSlotMs()).toBe(limits.probeMs);
  clock += limits.slowAfterMs - 1;
  if (probe !== undefined) lanes.release(probe, 'success');
  expect(lanes.quota()?.standings.get('a')).toBe('quick');
});
