/**
 * The worker of a process: claims what is due, sends it, stores what came of it. It turns when there is news: an event,
 * a result, a notification, and, as a backstop and for retries, a timer.
 */
import type { Logger } from 'pino';
import type { Outbound } from '../security/outbound.ts';
import { createLanes, type LaneLimits } from './lanes.ts';
import type { Job, Queue } from './queue.ts';
import { maxAttempts } from './retry-policy.ts';
import { send } from './send.ts';
import type { Outcome, Release } from './settle.ts';

/** Calls `work` once in `ms` milliseconds. @returns how to call it off */
export type After = (ms: number, work: () => void) => () => void;

export const afterTimeout: After = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

export interface WorkerOptions {
  readonly queue: Queue;
  readonly outbound: Outbound;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly random: () => number;
  readonly after: After;
  readonly limits: LaneLimits;
  /** A request has this long, the answer's body included. */
  readonly deadlineMs: number;
  /** A claim lasts this long; longer than a request may. */
  readonly leaseMs: number;
  /** How often to look for what nobody told of: retries, claims of the dead, events of other processes on SQLite. */
  readonly pollMs: number;
}

export interface Worker {
  /** There may be something to do. */
  wake(): void;
  /** Resolves when nothing is due, on its way, or waiting to be stored. For tests and for stopping. */
  idle(): Promise<void>;
  /** Claims nothing more, lets what is on its way end, and stores what came of it. */
  close(): Promise<void>;
}

/** Results wait this long for more of them, so that one commit stores many. */
const gatherMs = 10;
/** So many results do not wait. */
const resultsOfTurn = 192;
/** After a turn that failed (the database is away) the next one comes this much later. */
const failedTurnMs = 1_000;

export function startWorker(options: WorkerOptions): Worker {
  const { queue, logger, after, limits, leaseMs, deadlineMs, pollMs } = options;
  const lanes = createLanes(limits, () => performance.now());
  /** What this process has claimed, by delivery: with the claim that holds now, and when that ends. */
  const held = new Map<string, { claim: string; readonly usableUntil: number }>();
  let outcomes: Outcome[] = [];
  let releases: Release[] = [];
  let turning = false;
  let wanted = false;
  let closing = false;
  let cancelGather: (() => void) | null = null;
  let cancelPoll: (() => void) | null = null;
  let waiting: (() => void)[] = [];
  let goingOn: NodeJS.Immediate | null = null;

  const turn = async () => {
    cancelGather?.();
    cancelGather = null;
    if (turning) {
      wanted = true;
      return;
    }
    turning = true;
    wanted = false;
    const results = outcomes;
    const given = releases;
    outcomes = [];
    releases = [];
    try {
      const demand = closing ? null : lanes.demand();
      const jobs = await queue.turn(results, given, demand);
      for (const { deliveryId } of [...results, ...given]) held.delete(deliveryId);
      for (const job of jobs) accept(job);
      // What was claimed while the process was told to stop is for others to send.
      if (closing) giveBack(lanes.withdraw());
      turning = false;
      goOnSoon();
      if (wanted || releases.length > 0) gather(0);
      else settleIdle();
    } catch (error) {
      logger.error({ err: error }, 'the delivery queue could not be read or written');
      outcomes = [...results, ...outcomes];
      releases = [...given, ...releases];
      turning = false;
      // A process that stops does not wait for a database that is gone: what it holds is free when its leases run out.
      if (closing) stopWaiting();
      else gather(failedTurnMs);
    }
  };
  const gather = (ms: number) => {
    if (turning) {
      wanted = true;
    } else if (ms === 0) {
      cancelGather?.();
      let called = true;
      cancelGather = () => {
        called = false;
      };
      // Whoever wakes us in the same moment is served by the same turn.
      queueMicrotask(() => void (called && turn()));
    } else {
      cancelGather ??= after(ms, turn);
    }
  };
  const settleIdle = () => {
    if (lanes.sending + lanes.ready + outcomes.length + releases.length === 0) stopWaiting();
  };
  const stopWaiting = () => {
    const resolved = waiting;
    waiting = [];
    for (const resolve of resolved) resolve();
  };
  const accept = (job: Job) => {
    const mine = held.get(job.deliveryId);
    if (mine !== undefined) {
      // The clock jumped past the lease of a claim of our own: it goes on under the new one, and is not sent twice.
      mine.claim = job.claim;
      return;
    }
    held.set(job.deliveryId, { claim: job.claim, usableUntil: performance.now() + leaseMs - deadlineMs });
    lanes.add(job);
  };
  const giveBack = (jobs: readonly Job[]) => {
    releases.push(
      ...jobs.map(({ deliveryId, claim }) => ({ deliveryId, claim: held.get(deliveryId)?.claim ?? claim })),
    );
  };
  const pump = () => {
    for (let job = lanes.take(); job !== null; job = lanes.take()) void run(job);
  };
  const run = async (job: Job) => {
    const claim = held.get(job.deliveryId);
    if (claim === undefined || performance.now() > claim.usableUntil) {
      // It waited too long for its place: its lease could end during the request.
      giveBack([job]);
      lanes.ended(job, 'badly');
      return gather(gatherMs);
    }
    const outcome = await send(options, job).catch((error: unknown) => {
      logger.error({ err: error, deliveryId: job.deliveryId }, 'a delivery could not be prepared');
      return broken(job, options.now());
    });
    const { verdict } = outcome;
    lanes.ended(job, verdict.slow ? 'slowly' : verdict.outcome === 'succeeded' ? 'well' : 'badly');
    outcomes.push({ ...outcome, claim: claim.claim });
    if (verdict.pause > 0 || verdict.gone) giveBack(lanes.withdraw(job.target.webhookId));
    goOnSoon();
  };
  /**
   * What has ended makes room for more, once for all that ends in the same round of the event loop, and at its end: then
   * the connections of what has ended are free again, and no others are opened.
   */
  const goOnSoon = () => {
    if (goingOn !== null) clearImmediate(goingOn);
    goingOn = setImmediate(() => {
      goingOn = null;
      pump();
      gatherResults();
    });
  };
  /** Many results are stored at once, unless nothing could be sent meanwhile. */
  const gatherResults = () => {
    if (turning || outcomes.length === 0) return;
    const enough = lanes.ready === 0 ? Math.min(lanes.sending, resultsOfTurn) : resultsOfTurn;
    if (outcomes.length >= enough) void turn();
    else gather(gatherMs);
  };
  const poll = () => {
    cancelPoll = after(pollMs, () => {
      void turn();
      poll();
    });
  };
  poll();
  gather(0);

  const worker: Worker = {
    wake: () => {
      if (!closing) gather(0);
    },
    idle: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        gather(0);
      }),
    async close() {
      closing = true;
      cancelPoll?.();
      giveBack(lanes.withdraw());
      await worker.idle();
      cancelGather?.();
    },
  };
  return worker;
}

/** The outcome of an attempt that never left the house: it is tried again as if the endpoint had failed. */
function broken(job: Job, now: Date): Outcome {
  return {
    deliveryId: job.deliveryId,
    claim: job.claim,
    webhookId: job.target.webhookId,
    wasFailing: job.target.failing,
    verdict: {
      outcome: job.attempt < maxAttempts ? 'retry' : 'failed',
      gone: false,
      slow: false,
      delay: 60_000,
      pause: 0,
    },
    attempt: {
      delivery_id: job.deliveryId,
      number: job.number,
      started_at: now.getTime(),
      duration_ms: 0,
      status: null,
      failure: null,
      response_body: '',
    },
  };
}
