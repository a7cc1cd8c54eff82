/**
 * A process's worker: claims, sends, settles. Each round is a flush, one transaction of the queue, after an event, a
 * result, a notification, or a timer that finds due retries.
 */

import type { Logger } from 'pino';
import type { After, AfterRound } from '../kernel/lib/after.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import { createTroubles, type Trouble, type Troubles } from '../kernel/troubles.ts';
import type { Outbound } from '../net/outbound.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { ClaimLeases } from './claim-leases.ts';
import type { ClaimQuota } from './claim-quota.ts';
import { FlushSchedule } from './flush-schedule.ts';
import type { LaneResult } from './lane.ts';
import { createLanes, type LaneLimits, type Lanes } from './lanes.ts';
import { type AttemptObserver, observeAttempts, observeQueue, type Send } from './observed-worker.ts';
import { type ApartOutcomes, createOutcomeBuffer } from './outcome-buffer.ts';
import type { ClaimedDelivery, ClaimResult, Queue } from './queue.ts';
import { unsentDecision } from './retry-policy.ts';
import { beginAttempt, sendAttempt, unsent } from './send.ts';
import { type AttemptOutcome, type ReleasedClaim, wasMade } from './settle.ts';

interface WorkerOptions {
  readonly queue: Queue;
  readonly outbound: Outbound;
  readonly logger: Logger;
  readonly troubles?: Troubles;
  readonly telemetry?: Pick<Telemetry, 'metrics' | 'tracer'>;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly random: () => number;
  readonly after: After;
  readonly afterRound: AfterRound;
  readonly limits: LaneLimits;
  /** Per request, including the response's body. */
  readonly deadlineMs: number;
  /** Length of a claim; longer than a request may take. */
  readonly leaseMs: number;
  /** Milliseconds between looks for retries, leases of dead workers, and on SQLite other processes' work. */
  readonly pollMs: number;
}

/** Outcomes wait for each other, so that one commit settles many. */
const flushDelayMs = 10;
/** Outcomes that do not wait. */
const outcomesOfFlush = 192;
/** Deliveries that are confirmed with one statement, which costs as much as several requests, and begin in one round. */
const sendsOfRound = 128;
/** Confirmations at once. Deliveries that wait for one share it: a busy database is asked less often. */
const confirmsAtOnce = 2;
/** Milliseconds after a flush that left new destinations without a place. */
const crowdedMs = 100;
/** Milliseconds after a failed flush, as the database is away. */
const failedFlushMs = 1_000;

/**
 * Waits for locked rows while some outcomes are set apart, in milliseconds. Those of a workspace may all meet one locked row, and
 * each wait delays what is stored after it: a first try is short, and a row that is locked for a moment is met again.
 */
const lockWaits = { first: 100, most: 1_600, ofFlush: 400 } as const;

const queueFailed = 'the delivery queue could not be read or written';

/**
 *   running ⇄ recovering   a flush has failed: outcomes that were not set apart are stored before anything is claimed
 *   draining               nothing is claimed; requests in flight end, and are settled
 *   stopped                nothing is left to settle, or the database is away: then leases end by themselves
 */
type WorkerState = 'running' | 'recovering' | 'draining' | 'stopped';

export class Worker {
  readonly #options: WorkerOptions;
  readonly #observer: AttemptObserver;
  readonly #lanes: Lanes;
  readonly #leases: ClaimLeases;
  readonly #outcomes: ReturnType<typeof createOutcomeBuffer>;
  readonly #flushes: FlushSchedule;
  /** Troubles of flushes, and of the looks before sending. */
  readonly #trouble: Readonly<Record<'flush' | 'confirm', Trouble>>;
  /** Ends probes for destinations that wait for their places. */
  readonly #probes = new Map<ClaimedDelivery, AbortController>();
  #state: WorkerState = 'running';
  #releases: ReleasedClaim[] = [];
  #idleWaiters: (() => void)[] = [];
  #confirms = 0;
  #isSettlingApart = false;
  #cancelDispatch = () => {};
  #cancelNextSlot = () => {};

  constructor(options: WorkerOptions) {
    const { clock, after, limits, logger, pollMs, telemetry = noTelemetry } = options;
    const { troubles = createTroubles(logger) } = options;
    this.#trouble = { flush: troubles.of(queueFailed), confirm: troubles.of(queueFailed, { onDemand: true }) };
    this.#options = options;
    this.#observer = observeAttempts(telemetry, logger, () => options.now().getTime());
    this.#lanes = createLanes(limits, clock);
    this.#leases = new ClaimLeases(clock);
    this.#outcomes = createOutcomeBuffer(clock);
    const onError = (error: unknown) => this.#trouble.flush.failed(error);
    const onFlushed = (isAskedFor: boolean) => this.#flushed(isAskedFor);
    this.#flushes = new FlushSchedule({ flush: () => this.#flush(), onError, onFlushed, after, clock, pollMs });
    observeQueue(telemetry.metrics, { lanes: this.#lanes, limits, leases: this.#leases, outcomes: this.#outcomes });
  }

  /** Attempts that could not be stored so far. */
  get unstored(): number {
    return this.#outcomes.unstored;
  }

  wake(): void {
    // A stop ends with a flush that nobody has asked for.
    if (this.#state !== 'draining') this.#flushes.within(0);
  }

  /** Resolves with nothing due, in flight or unsettled. For tests and for stopping. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#state === 'stopped') return resolve();
      this.#idleWaiters.push(resolve);
      this.#flushes.within(0);
    });
  }

  /** Claims nothing more, lets requests in flight end, and settles them. */
  async close(): Promise<void> {
    if (this.#state !== 'stopped') this.#state = 'draining';
    this.#release(this.#lanes.drain());
    await this.idle();
    this.#stop();
  }

  #stop(): void {
    this.#state = 'stopped';
    this.#flushes.stop();
    this.#cancelNextSlot();
    this.#resolveIdle();
  }

  async #flush(): Promise<void> {
    const { queue, clock, leaseMs, deadlineMs } = this.#options;
    const [settling, releasing] = [this.#outcomes.take(), this.#releases];
    this.#releases = [];
    const claims = this.#state === 'running' || (this.#state === 'recovering' && settling.length === 0);
    // Leases begin here at the earliest, however long the transaction takes.
    const usableUntil = clock() + leaseMs - deadlineMs;
    const quota = claims ? this.#quota() : null;
    try {
      const report = await queue.settleAndClaim(
        settling.map((outcome) => this.#leases.current(outcome)),
        releasing.map((release) => this.#leases.current(release)),
        quota,
        this.#outcomes.unstored === 0 ? undefined : lockWaits.ofFlush,
      );
      // Without claims, queued deliveries may wait for probes' places.
      const result = claims && quota === null ? { ...report, waiting: this.#lanes.queued } : report;
      this.#trouble.flush.worked();
      this.#observer.disabled(result.disabled);
      this.#leases.end([...settling, ...releasing]);
      if (this.#state === 'recovering') this.#state = 'running';
      this.#accept(result, usableUntil);
      this.#scheduleNext(result, !claims);
      this.#settleApart().catch((error: unknown) => this.#trouble.flush.failed(error));
    } catch (error) {
      this.#trouble.flush.failed(error);
      this.#recover(settling, releasing, error);
    }
  }

  /** Nothing for webhooks whose outcomes cannot be stored: their deliveries would be repeated. */
  #quota(): ClaimQuota | null {
    const quota = this.#lanes.quota();
    if (quota === null || this.#outcomes.unstored === 0) return quota;
    const perDestination = new Map(quota.perDestination);
    for (const webhookId of this.#outcomes.apart) perDestination.set(webhookId, 0);
    return { ...quota, perDestination };
  }

  /** Beside the flushes, of which each that succeeds calls this: a transaction may wait for a locked row. */
  async #settleApart(): Promise<void> {
    if (this.#isSettlingApart || this.#outcomes.unstored === 0) return;
    this.#isSettlingApart = true;
    try {
      for (let part = this.#nextApart(); part !== null; part = this.#nextApart()) await this.#settlePart(part);
    } finally {
      this.#isSettlingApart = false;
      this.#flushes.within(this.#outcomes.unstored === 0 ? 0 : crowdedMs);
    }
  }

  #nextApart(): ApartOutcomes | null {
    return this.#state === 'recovering' ? null : this.#outcomes.takeApart(this.#state === 'draining');
  }

  async #settlePart(part: ApartOutcomes): Promise<void> {
    const { queue, logger } = this.#options;
    const { webhookId, outcomes, failures } = part;
    try {
      const settling = outcomes.map((outcome) => this.#leases.current(outcome));
      const lockWaitMs = Math.min(lockWaits.most, lockWaits.first * 2 ** failures);
      this.#observer.disabled((await queue.settleAndClaim(settling, [], null, lockWaitMs)).disabled);
      this.#leases.end(outcomes);
      if (this.#outcomes.settledApart(part) && failures > 0)
        logger.info({ webhookId }, 'the attempts of a webhook are stored again');
    } catch (err) {
      // A stop waits for nobody: their leases end.
      if (this.#state === 'draining') this.#outcomes.settledApart(part);
      else this.#outcomes.returnedApart(part, err);
      if (failures === 0)
        logger.error({ err, webhookId }, 'the attempts of a webhook cannot be stored; nothing is sent to it meanwhile');
    }
  }

  #accept({ deliveries, waiting, resumeAfter }: ClaimResult, usableUntil: number): void {
    for (const delivery of deliveries) if (this.#leases.begin(delivery, usableUntil)) this.#lanes.add(delivery);
    if (resumeAfter !== null) this.#lanes.resumeAfter(resumeAfter);
    // Claims made during the order to stop are left to other processes.
    if (this.#state === 'draining') this.#release(this.#lanes.drain());
    for (const probe of this.#lanes.yielding(waiting)) this.#probes.get(probe)?.abort();
    this.#scheduleDispatch();
  }

  /** @param onlySettled whether nothing was claimed in this flush */
  #scheduleNext({ deliveries, more, waiting, resumeAfter, unfinished }: ClaimResult, onlySettled: boolean): void {
    const goesOn = this.#state === 'running' && (onlySettled || unfinished || (more && deliveries.length > 0));
    const isCrowded = this.#state === 'running' && (waiting > 0 || resumeAfter !== null);
    if (goesOn || this.#releases.length > 0) this.#flushes.within(0);
    else if (isCrowded) this.#flushes.within(crowdedMs);
  }

  #flushed(isAskedFor: boolean): void {
    if (!isAskedFor && this.#lanes.sending + this.#lanes.queued + this.#outcomes.size === 0) this.#resolveIdle();
  }

  #recover(settling: readonly AttemptOutcome[], releasing: readonly ReleasedClaim[], error: unknown): void {
    this.#lanes.restart();
    this.#releases = [...releasing, ...this.#releases];
    const apart = this.#outcomes.returned(settling, error);
    for (const webhookId of apart) this.#release(this.#lanes.drain(webhookId));
    // A stop does not wait for a database that is away.
    if (this.#state === 'draining' && apart.length === 0) this.#stop();
    else if (this.#state !== 'draining') {
      this.#state = 'recovering';
      this.#flushes.postpone(apart.length === 0 ? failedFlushMs : 0);
    } else this.#flushes.postpone(0);
  }

  #resolveIdle(): void {
    const resolved = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of resolved) resolve();
  }

  #release(deliveries: readonly ClaimedDelivery[]): void {
    for (const { deliveryId, claimToken } of deliveries) this.#releases.push({ deliveryId, claimToken });
  }

  /** Once, at the end of the round: connections of ended requests are free again, and no others are opened. */
  #scheduleDispatch(): void {
    this.#cancelDispatch();
    this.#cancelDispatch = this.#options.afterRound(() => {
      this.#cancelDispatch = () => {};
      this.#dispatch();
      this.#flushOutcomes();
    });
  }

  #dispatch(): void {
    const { after, logger } = this.#options;
    const onError = (err: unknown) => logger.error({ err }, 'deliveries could not be prepared');
    while (this.#confirms < confirmsAtOnce) {
      const batch = this.#takeBatch();
      if (batch.length === 0) break;
      this.#confirms += 1;
      this.#sendBatch(batch).catch(onError);
    }
    this.#cancelNextSlot();
    const ms = this.#lanes.nextSlotMs();
    this.#cancelNextSlot = ms === null ? () => {} : after(ms, () => this.#scheduleDispatch());
  }

  #takeBatch(): ClaimedDelivery[] {
    const batch: ClaimedDelivery[] = [];
    while (batch.length < sendsOfRound) {
      const delivery = this.#lanes.take();
      if (delivery === null) break;
      batch.push(delivery);
    }
    return batch;
  }

  /** Outcomes wait for each other, unless nothing could be sent meanwhile. */
  #flushOutcomes(): void {
    if (this.#flushes.isFlushing || this.#outcomes.size === 0) return;
    const enough = this.#lanes.queued === 0 ? Math.min(this.#lanes.sending, outcomesOfFlush) : outcomesOfFlush;
    this.#flushes.within(this.#outcomes.size >= enough ? 0 : flushDelayMs);
  }

  /** Sends those still to be sent as claimed. */
  async #sendBatch(batch: readonly ClaimedDelivery[]): Promise<void> {
    const { logger } = this.#options;
    const confirmed = await this.#confirm(batch);
    this.#confirms -= 1;
    // Nobody would store the outcomes: others send these when their leases end.
    if (this.#state === 'stopped') return;
    for (const delivery of batch) {
      // After a long wait for its slot, others could claim it during the request.
      if (confirmed.has(delivery.deliveryId) && this.#leases.isUsable(delivery)) {
        this.#sendOne(delivery).catch((err: unknown) => logger.error({ err }, 'a delivery could not be prepared'));
        continue;
      }
      this.#release([delivery]);
      this.#lanes.release(delivery, 'unsent');
      this.#flushes.within(flushDelayMs);
    }
    this.#scheduleDispatch();
  }

  /** After a failure none is: they are given back. */
  async #confirm(batch: readonly ClaimedDelivery[]): Promise<ReadonlySet<string>> {
    try {
      const confirmed = await this.#options.queue.confirm(batch.map((delivery) => this.#leases.current(delivery)));
      this.#trouble.confirm.worked();
      return confirmed;
    } catch (error) {
      this.#trouble.confirm.failed(error);
      return new Set();
    }
  }

  async #sendOne(delivery: ClaimedDelivery): Promise<void> {
    this.#lanes.begin(delivery);
    const begun = beginAttempt(this.#options, delivery);
    const probe = this.#lanes.isProbe(delivery) ? new AbortController() : undefined;
    if (probe !== undefined) this.#probes.set(delivery, probe);
    const send: Send = (headers) => sendAttempt(this.#options, begun, headers, probe?.signal);
    let outcome: AttemptOutcome;
    try {
      outcome = await this.#observer.attempt(delivery, send);
    } catch (error) {
      this.#observer.unsent(delivery, error);
      outcome = begun.end(unsentDecision({ attempt: delivery.attempt, random: this.#options.random }), unsent);
    }
    const { decision } = outcome;
    this.#probes.delete(delivery);
    this.#observer.ended(outcome);
    this.#lanes.release(delivery, laneResultOf(outcome));
    this.#outcomes.add(outcome);
    if (decision.pauseMs > 0 || decision.gone) this.#release(this.#lanes.drain(delivery.destination.webhookId));
    this.#scheduleDispatch();
  }
}

/** Who was asked nothing, for a fault of ours, has neither failed nor answered. */
function laneResultOf({ decision, attempt }: AttemptOutcome): LaneResult {
  if (!wasMade(attempt)) return 'unsent';
  if (decision.overloaded) return 'overload';
  return decision.outcome === 'succeeded' ? 'success' : 'failure';
}
