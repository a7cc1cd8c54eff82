/**
 * What a worker does with its leases when transactions take long, and when it claims anew what it has already; how often it
 * confirms its claims; and how it stops in the middle of both.
 */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { ClaimTicket } from '../../src/delivery/confirm.ts';
import { laneLimits } from '../../src/delivery/lanes.ts';
import type { ClaimedDelivery, ClaimResult, Queue } from '../../src/delivery/queue.ts';
import { Worker } from '../../src/delivery/worker.ts';
import type { OutboundResponse } from '../../src/net/outbound.ts';

const delivery = (claimToken: string, id = ''): ClaimedDelivery => ({
  deliveryId: `delivery${id}`,
  claimToken,
  body: Buffer.from('{}'),
  number: 1,
  attempt: 1,
  revision: 0,
  traceparent: null,
  destination: {
    webhookId: `webhook${id}`,
    failing: false,
    target: { url: new URL('https://hooks.example/'), headers: [], ownNames: new Set(), sentHeaders: [], secrets: [] },
  },
});

const claim = (...deliveries: ClaimedDelivery[]): ClaimResult => ({
  deliveries,
  disabled: [],
  more: false,
  waiting: 0,
  resumeAfter: null,
  unfinished: false,
});

const idsOf = (deliveries: readonly ClaimTicket[]) => new Set(deliveries.map(({ deliveryId }) => deliveryId));

/** A worker whose transactions end when a test says so. */
function startTestWorker(confirm: Queue['confirm'] = async (deliveries) => idsOf(deliveries)) {
  const time = { now: 0 };
  const sent: ((response: OutboundResponse) => void)[] = [];
  const flushes: {
    readonly endings: readonly { claimToken: string }[];
    end(claim: ClaimResult): void;
    fail(error: Error): void;
  }[] = [];
  const queue: Queue = {
    confirm,
    settleAndClaim: (outcomes, releases) =>
      new Promise((end, fail) => flushes.push({ endings: [...outcomes, ...releases], end, fail })),
  };
  const worker = new Worker({
    queue,
    outbound: { post: () => new Promise((resolve) => sent.push(resolve)), close: async () => {} },
    logger: pino({ level: 'silent' }),
    now: () => new Date(time.now),
    clock: () => time.now,
    random: () => 0,
    after: () => () => {},
    afterRound: (work) => {
      let cancelled = false;
      setImmediate(() => {
        if (!cancelled) work();
      });
      return () => {
        cancelled = true;
      };
    },
    limits: { ...laneLimits, slots: 600, firstSlots: 600 },
    deadlineMs: 15_000,
    leaseMs: 45_000,
    pollMs: 1_000,
  });
  const round = () => new Promise((resolve) => setTimeout(resolve));
  return { worker, time, sent, flushes, round };
}

test('two batches are confirmed at once, and what waits meanwhile shares the next', async () => {
  const confirms: { readonly count: number; end(): void }[] = [];
  const { sent, flushes, round } = startTestWorker(
    (deliveries) =>
      new Promise((end) => confirms.push({ count: deliveries.length, end: () => end(idsOf(deliveries)) })),
  );
  await round();
  const claimed = Array.from({ length: 300 }, (_, n) => delivery('first', `${n}`));
  flushes[0]?.end(claim(...claimed));
  for (let ended = 0; sent.length < claimed.length; ended += 1) {
    for (let n = 0; n < 10; n += 1) await round();
    expect(confirms.length - ended).toBeLessThanOrEqual(2);
    confirms[ended]?.end();
    await round();
  }
  expect(confirms.map(({ count }) => count)).toEqual([128, 128, 44]);
});

test('nothing is sent after a stop that gave up on the database: nobody would store its outcome', async () => {
  const confirmed: (() => void)[] = [];
  const { worker, sent, flushes, round } = startTestWorker(
    (deliveries) => new Promise((end) => confirmed.push(() => end(idsOf(deliveries)))),
  );
  await round();
  flushes[0]?.end(claim(delivery('first')));
  await expect.poll(() => confirmed).toHaveLength(1);
  const closed = worker.close();
  await expect.poll(() => flushes).toHaveLength(2);
  flushes[1]?.fail(new Error('the database is away'));
  await closed;
  for (const confirm of confirmed) confirm();
  for (let n = 0; n < 5; n += 1) await round();
  expect(sent).toEqual([]);
});

test('a stop does not wait for the end of notifications', async () => {
  const { worker, flushes, round } = startTestWorker();
  await round();
  let isClosed = false;
  const closed = worker.close().then(() => {
    isClosed = true;
  });
  for (let n = 0; n < 10 && !isClosed; n += 1) {
    worker.wake();
    flushes[n]?.end(claim());
    await round();
  }
  expect(isClosed).toBe(true);
  await closed;
});
