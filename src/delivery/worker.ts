/**
 * The worker of a process: claims what is due, sends it, and settles it. Each round is a flush, one transaction of the
 * queue. A flush follows an event, a result or a notification, and a timer, which finds retries that have become due.
 */
import type { Logger } from 'pino';
import type { Outbound } from '../net/outbound.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { LaneResult } from './lane.ts';
import { createLanes, type LaneLimits } from './lanes.ts';
import { observeAttempts } from './observed-attempts.ts';
import { observeQueue } from './observed-queue.ts';
import { createOutcomeBuffer } from './outcome-buffer.ts';
import type { ClaimedDelivery, Queue } from './queue.ts';
import { type RetryDecision, unsentDecision } from './retry-policy.ts';
import { beginAttempt, send } from './send.ts';
import type { Release } from './settle.ts';

/** Calls `work` once in `ms` milliseconds. @returns cancels the call */
export type After = (ms: number, work: () => void) => () => void;

export const afterTimeout: After = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Calls `work` once at the end of this round of the event loop. @returns cancels the call */
export type AfterRound = (work: () => void) => () => void;

export const afterImmediate: AfterRound = (work) => {
  const immediate = setImmediate(work);
  return () => clearImmediate(immediate);
};

export interface WorkerOptions {
  readonly queue: Queue;
  readonly outbound: Outbound;
  readonly logger: Logger;
  readonly telemetry?: Pick<Telemetry, 'metrics' | 'tracer'>;
  readonly now: () => Date;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
  readonly after: After;
  readonly afterRound: AfterRound;
  readonly limits: LaneLimits;
  /** How long a request may take, including the body of its response. */
  readonly deadlineMs: number;
  /** How long a claim lasts; longer than a request may take. */
  readonly leaseMs: number;
  /** How often to look for work that nobody notified of: retries, leases of dead workers, other processes on SQLite. */
  readonly pollMs: number;
}

export interface Worker {
  /** There may be work. */
  wake(): void;
  /** Gives back what is claimed for these webhooks, or for all, and not being sent. */
  withdraw(webhookIds: readonly string[] | null): void;
  /** Resolves when nothing is due, in flight or waiting to be settled. For tests and for stopping. */
  idle(): Promise<void>;
  /** Claims nothing more, lets requests in flight end, and settles them. */
  close(): Promise<void>;
}

/** Outcomes wait this long for more of them, so that one commit settles many. */
const flushDelayMs = 10;
/** This many outcomes do not wait. */
const outcomesOfFlush = 192;
/** The delay after a flush that failed, because the database is away. */
const failedFlushMs = 1_000;

/** The lease of a delivery that this process has claimed. */
interface Lease {
  /** The token that holds now: the delivery may be claimed again while it is being sent. */
  claimToken: string;
  /** Until when a request can begin and still end within the lease, on the monotonic clock. */
  readonly usableUntil: number;
}

export function startWorker(options: WorkerOptions): Worker {
  const {
    queue,
    logger,
    clock,
    after,
    afterRound,
    limits,
    leaseMs,
    deadlineMs,
    pollMs,
    telemetry = noTelemetry,
  } = options;
  const observer = observeAttempts(telemetry, logger, () => options.now().getTime());
  const lanes = createLanes(limits, clock);
  /** By delivery. */
  const leases = new Map<string, Lease>();
  const outcomes = createOutcomeBuffer();
  let releases: Release[] = [];
  let flushing = false;
  /** Whether a flush was asked for during the current one. */
  let rerun = false;
  /** What was withdrawn during the current flush, which may have claimed for it. */
  let withdrawn: (string | undefined)[] = [];
  /** Whether the last flush failed. Then nothing is claimed before outcomes are stored: a claim may be what fails. */
  let failed = false;
  let closing = false;
  let cancelFlush: (() => void) | null = null;
  let cancelPoll: (() => void) | null = null;
  let idleWaiters: (() => void)[] = [];
  let cancelDispatch: (() => void) | null = null;

  const flush = async () => {
    cancelFlush?.();
    cancelFlush = null;
    if (flushing) {
      rerun = true;
      return;
    }
    flushing = true;
    rerun = false;
    withdrawn = [];
    const [settling, releasing] = [outcomes.take(), releases];
    releases = [];
    const settlesOnly = failed && settling.length > 0;
    // Leases begin here at the earliest, however long the transaction takes.
    const usableUntil = clock() + leaseMs - deadlineMs;
    const quota = closing || settlesOnly ? null : lanes.quota();
    try {
      const { deliveries, more, unfinished, disabled } = await queue.settleAndClaim(
        settling.map(underLease),
        releasing.map(underLease),
        quota,
      );
      failed = false;
      outcomes.settled();
      observer.disabled(disabled);
      for (const { deliveryId } of [...settling, ...releasing]) leases.delete(deliveryId);
      for (const delivery of deliveries) accept(delivery, usableUntil);
      for (const webhookId of withdrawn) release(lanes.drain(webhookId));
      // What was claimed while the process was asked to stop is for other processes to send.
      if (closing) release(lanes.drain());
      flushing = false;
      scheduleDispatch();
      const goesOn = !closing && (settlesOnly || unfinished || (more && deliveries.length > 0));
      if (rerun || goesOn || releases.length > 0) scheduleFlush(0);
      else if (lanes.sending + lanes.queued + outcomes.size === 0) resolveIdle();
    } catch (error) {
      logger.error({ err: error }, 'the delivery queue could not be read or written');
      failed = true;
      lanes.restart();
      for (const { deliveryId } of outcomes.returned(settling)) {
        leases.delete(deliveryId);
        logger.error({ deliveryId }, 'an attempt cannot be stored; the delivery is sent again when its lease ends');
      }
      releases = [...releasing, ...releases];
      flushing = false;
      // A process that stops does not wait for a database that is away: its leases end by themselves.
      if (closing) resolveIdle();
      else scheduleFlush(failedFlushMs);
    }
  };
  const startFlush = () => {
    flush().catch((err: unknown) => logger.error({ err }, 'the delivery queue could not be read or written'));
  };
  const scheduleFlush = (ms: number) => {
    if (flushing) {
      rerun = true;
    } else if (ms === 0) {
      cancelFlush?.();
      let cancelled = false;
      cancelFlush = () => {
        cancelled = true;
      };
      // One flush serves everybody who asks for one in the same moment.
      queueMicrotask(() => {
        if (!cancelled) startFlush();
      });
    } else {
      cancelFlush ??= after(ms, startFlush);
    }
  };
  /** Outcomes wait for each other, unless nothing could be sent meanwhile. */
  const flushOutcomes = () => {
    if (flushing || outcomes.size === 0) return;
    const enough = lanes.queued === 0 ? Math.min(lanes.sending, outcomesOfFlush) : outcomesOfFlush;
    if (outcomes.size >= enough) startFlush();
    else scheduleFlush(flushDelayMs);
  };
  const resolveIdle = () => {
    const resolved = idleWaiters;
    idleWaiters = [];
    for (const resolve of resolved) resolve();
  };
  /** What ends a claim, with the token that holds now: the delivery may have been claimed again since. */
  const underLease = <Ending extends Release>(ending: Ending): Ending => ({
    ...ending,
    claimToken: leases.get(ending.deliveryId)?.claimToken ?? ending.claimToken,
  });
  const accept = (delivery: ClaimedDelivery, usableUntil: number) => {
    const lease = leases.get(delivery.deliveryId);
    if (lease !== undefined) {
      // The clock jumped past our own lease: the delivery goes on under the new claim, and is not sent twice.
      lease.claimToken = delivery.claimToken;
      return;
    }
    leases.set(delivery.deliveryId, { claimToken: delivery.claimToken, usableUntil });
    lanes.add(delivery);
  };
  const release = (deliveries: readonly ClaimedDelivery[]) => {
    for (const { deliveryId, claimToken } of deliveries) releases.push({ deliveryId, claimToken });
  };
  const dispatch = () => {
    for (let delivery = lanes.take(); delivery !== null; delivery = lanes.take()) {
      attempt(delivery).catch((err: unknown) => logger.error({ err }, 'a delivery could not be prepared'));
    }
  };
  const attempt = async (delivery: ClaimedDelivery) => {
    const lease = leases.get(delivery.deliveryId);
    if (lease === undefined || clock() > lease.usableUntil) {
      // It waited too long for its slot: its lease could end during the request.
      release([delivery]);
      lanes.release(delivery, 'failure');
      return scheduleFlush(flushDelayMs);
    }
    const begun = beginAttempt(options, delivery);
    const made = observer.attempt(delivery, (headers) => send(options, begun, headers));
    const outcome = await made.catch((error: unknown) => {
      logger.error({ err: error, deliveryId: delivery.deliveryId }, 'a delivery could not be prepared');
      // It takes its place in the retry schedule like any other.
      return begun.end(null, unsentDecision(delivery.attempt));
    });
    const { decision } = outcome;
    observer.ended(outcome);
    lanes.release(delivery, laneResultOf(decision));
    outcomes.add(outcome);
    if (decision.pauseMs > 0 || decision.gone) release(lanes.drain(delivery.destination.webhookId));
    scheduleDispatch();
  };
  /**
   * Dispatches once for all requests that end in the same round of the event loop, and at its end: their connections are
   * free again by then, and no others are opened.
   */
  const scheduleDispatch = () => {
    cancelDispatch?.();
    cancelDispatch = afterRound(() => {
      cancelDispatch = null;
      dispatch();
      flushOutcomes();
    });
  };
  const poll = () => {
    cancelPoll = after(pollMs, () => {
      startFlush();
      poll();
    });
  };
  poll();
  scheduleFlush(0);
  observeQueue(telemetry.metrics, { lanes, limits, leases, outcomes });

  const worker: Worker = {
    wake: () => {
      if (!closing) scheduleFlush(0);
    },
    withdraw(webhookIds) {
      for (const webhookId of webhookIds ?? [undefined]) {
        if (flushing) withdrawn.push(webhookId);
        release(lanes.drain(webhookId));
      }
      if (!closing) scheduleFlush(0);
    },
    idle: () =>
      new Promise((resolve) => {
        idleWaiters.push(resolve);
        scheduleFlush(0);
      }),
    async close() {
      closing = true;
      cancelPoll?.();
      release(lanes.drain());
      await worker.idle();
      cancelFlush?.();
    },
  };
  return worker;
}

function laneResultOf({ outcome, overloaded }: RetryDecision): LaneResult {
  if (overloaded) return 'overload';
  return outcome === 'succeeded' ? 'success' : 'failure';
}
