/** What a worker does with its leases when transactions take long, and when it claims anew what it has already. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { laneLimits } from '../../src/delivery/lanes.ts';
import type { Claim, ClaimedDelivery, Queue } from '../../src/delivery/queue.ts';
import { startWorker } from '../../src/delivery/worker.ts';
import type { OutboundResponse } from '../../src/net/outbound.ts';

const response: OutboundResponse = { status: 200, failure: null, retryAfter: null, body: Buffer.from('') };

const delivery = (claimToken: string): ClaimedDelivery => ({
  deliveryId: 'delivery',
  claimToken,
  body: Buffer.from('{}'),
  number: 1,
  attempt: 1,
  traceparent: null,
  destination: {
    webhookId: 'webhook',
    url: new URL('https://hooks.example/'),
    format: 'json',
    headers: [],
    secrets: [],
    failing: false,
  },
});

const claim = (...deliveries: ClaimedDelivery[]): Claim => ({
  deliveries,
  disabled: [],
  more: false,
  unfinished: false,
});

/** A worker whose transactions end when a test says so. */
function startTestWorker() {
  const time = { now: 0 };
  const sent: ((response: OutboundResponse) => void)[] = [];
  const flushes: { readonly endings: readonly { claimToken: string }[]; end(claim: Claim): void }[] = [];
  const queue: Queue = {
    settleAndClaim: (outcomes, releases) =>
      new Promise((end) => flushes.push({ endings: [...outcomes, ...releases], end })),
  };
  const worker = startWorker({
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
    limits: laneLimits,
    deadlineMs: 15_000,
    leaseMs: 45_000,
    pollMs: 1_000,
  });
  const round = () => new Promise((resolve) => setTimeout(resolve));
  return { worker, time, sent, flushes, round };
}

test('a delivery is not sent when its claim took so long that its lease could end meanwhile', async () => {
  const { time, sent, flushes, round } = startTestWorker();
  await round();
  time.now = 31_000;
  flushes[0]?.end(claim(delivery('first')));
  await round();
  await round();
  expect(sent).toEqual([]);
});

test('a waiting outcome is settled under the claim that is valid by then', async () => {
  const { worker, sent, flushes, round } = startTestWorker();
  await round();
  flushes[0]?.end(claim(delivery('first')));
  await round();
  await round();
  // A clock has jumped: this claims the delivery anew, while the response arrives.
  worker.wake();
  await round();
  sent[0]?.(response);
  await round();
  flushes[1]?.end(claim(delivery('second')));
  await round();
  await round();
  expect(sent).toHaveLength(1);
  expect(flushes[2]?.endings).toMatchObject([{ claimToken: 'second' }]);
});
