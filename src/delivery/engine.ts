/**
 * The delivery engine: what the composition root starts and stops.
 *
 * Glossary
 *   event        something that happened to an account, or a trigger that was fired; stored once
 *   delivery     an event on its way to one webhook: pending, then succeeded or failed; or held
 *   attempt      one request for a delivery, and its response
 *   destination  where a webhook's deliveries go: URL, headers, signing secrets, health; one per webhook
 *   claim        a worker takes deliveries that are due, so that no other worker sends them
 *   lease        how long a claim lasts, at most: when a worker dies, its deliveries are due again as soon as that is known
 *   claim token  names a claim; who does not know it can no longer settle the delivery
 *   settle       to store an attempt and the new state of its delivery, and end the claim (message settlement)
 *   lane         the deliveries claimed for one destination, behind an AIMD limiter of requests at once
 *   held         of a delivery: its webhook is disabled, or left the event's account, and it waits until it is redelivered
 *
 * On Postgres each transaction locks rows in one order: store/locks.ts.
 *
 * The way of an event
 *   capabilities/deliveries/limits.ts checks its limits, then
 *   emit.ts               stores the event, with a delivery for each webhook that
 *   receivers.ts            finds in an index (SQL), and
 *   capabilities/webhooks/match.ts says is subscribed: on Postgres mostly, if none has changed since, with one statement for all that a
 *                           workspace emits meanwhile; otherwise in a transaction, for which
 *   store/workspace-lines.ts  leaves connections to other workspaces where one waits for what others have locked; then the event is
 *                           acknowledged
 *   queue.ts              asks for a transaction of the durable queue, on Postgres over connections of its own, on SQLite (if there is
 *                           something to settle) in the thread that writes (store/module-transaction.ts). It consists of
 *   queue-transaction.ts    settling what was sent, claiming what is due, and counting attempts for statistics
 *                           (capabilities/deliveries/attempt-counts.ts):
 *   due.ts                  which destinations have deliveries due (SQL), shared out by
 *   claim-quota.ts          round robin over the room that
 *   lanes.ts                the lanes have (each of them a lane.ts), which
 *   standing.ts             leave places to destinations that answer, as
 *   in-flight.ts            do requests that hang, the first ones to a destination sooner, and
 *   byte-budget.ts          the bytes of payloads that fit into memory, and taken by
 *   claim.ts                SQL again, under a claim token
 *   payload.ts            builds the body, still in that transaction
 *   flush-schedule.ts     says when the next transaction begins
 *   worker.ts             takes deliveries from the lanes, keeps their leases in
 *   claim-leases.ts         memory, and hands those that
 *   confirm.ts              finds claimed as their webhooks still are (SQL) to
 *   send.ts                 one request through net/outbound.ts, to a destination.ts, signed by
 *   signature.ts            HMAC-SHA256
 *   retry-policy.ts       classifies the response: succeeded, retry when, failed; overloaded, gone, to pause
 *   outcome-buffer.ts     keeps outcomes until they are settled, and sets apart those of a webhook that cannot be
 *   settle.ts             stores outcomes with the next transaction, and what they say of the destination
 *   destination-health.ts   (failing, paused, disabled)
 *   store/notifications.ts  tells workers and subscribers after every commit, those of other processes together by Postgres NOTIFY
 *   dead-claims.ts        frees what dead processes have claimed (store/presence.ts)
 *   repeat.ts             repeats work by timers of
 *   kernel/lib/after.ts     (tests replace them): holds the deliveries of webhooks that were disabled (capabilities/webhooks/holds.ts),
 *                           and deletes those of webhooks that were deleted (capabilities/webhooks/removal.ts), behind the commands
 *   capabilities/deliveries/requeue.ts makes deliveries due again, when a caller redelivers them
 *   notices.ts            tells owners of webhooks that were disabled, in steps as well
 *   retention.ts          deletes what is old, in steps of retention-step.ts
 *   observed-worker.ts    logs, counts and traces attempts, and says, as does
 *   observed-backlog.ts     what there is to do
 */

import type { Logger } from 'pino';
import { holds } from '../capabilities/webhooks/holds.ts';
import { removals } from '../capabilities/webhooks/removal.ts';
import type { RandomBytes } from '../kernel/ids.ts';
import { type After, type AfterRound, afterImmediate, afterTimeout } from '../kernel/lib/after.ts';
import { besideModule } from '../kernel/lib/beside-module.ts';
import { closeAll } from '../kernel/lib/close-all.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { Vault } from '../kernel/secrets/vault.ts';
import { createTroubles, type Troubles } from '../kernel/troubles.ts';
import type { AddressRule } from '../net/addresses.ts';
import type { Lookup } from '../net/dns/lookup.ts';
import { createOutbound, type Outbound } from '../net/outbound.ts';
import type { ProxySettings } from '../net/proxies.ts';
import type { Channels } from '../store/channel-messages.ts';
import type { Database, DatabaseLocation } from '../store/database.ts';
import { createNotifications } from '../store/notifications.ts';
import { openPresence, type Presence } from '../store/presence.ts';
import { createSharedClock } from '../store/shared-clock.ts';
import { inThread } from '../store/sqlite-threads.ts';
import { createStoredBytes } from '../store/stored-bytes.ts';
import type { InLine } from '../store/workspace-lines.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { startFreeingDeadClaims } from './dead-claims.ts';
import { createEmit } from './emit.ts';
import { type LaneLimits, laneLimits } from './lanes.ts';
import { notices } from './notices.ts';
import { startBacklog } from './observed-backlog.ts';
import { createQueue, type QueueContext } from './queue.ts';
import { type QueueReport, settleAndClaim } from './queue-transaction.ts';
import { startSteps } from './repeat.ts';
import { startRetention } from './retention.ts';
import { Worker } from './worker.ts';

const queueModule = besideModule('./queue-transaction', import.meta.url);

/** For tests alone, not settings of the gateway. */
export interface DeliveryTuning {
  readonly lookup?: Lookup;
  readonly outbound?: Outbound;
  readonly presence?: Presence;
  readonly clock?: Clock;
  /** The machine's, in epoch milliseconds. */
  readonly wall?: () => number;
  readonly after?: After;
  readonly afterRound?: AfterRound;
  readonly limits?: Partial<LaneLimits>;
  /** Per request, including the response's body. */
  readonly deadlineMs?: number;
  readonly leaseMs?: number;
  readonly pollMs?: number;
}

export type DeliveryEngine = ReturnType<typeof startDeliveryEngine>;

interface DeliveryEngineOptions {
  readonly database: Database;
  readonly queueDatabase: Database;
  readonly location: DatabaseLocation;
  /** Null on SQLite. */
  readonly channels: Channels | null;
  /** Lets other processes find out whether this one is alive. */
  readonly processId: string;
  /** Lines of workspaces; by default none. */
  readonly inLine?: InLine;
  readonly vault: Vault;
  readonly allows: AddressRule;
  readonly lookup: Lookup;
  /** On the way to webhooks. */
  readonly proxies?: ProxySettings | undefined;
  readonly retentionDays: number;
  /** The newest events; 0 for any number. */
  readonly maxEvents: number;
  /** Quota of a workspace; 0, the default, for any number. */
  readonly maxStoredBytes?: number;
  readonly maxBytes: number;
  readonly logger: Logger;
  /** By default those of the engine alone. */
  readonly troubles?: Troubles;
  readonly telemetry?: Telemetry;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  /** Puts something before the network, such as the receiver of the sandbox. */
  readonly before?: ((network: Outbound) => Outbound) | undefined;
  readonly tuning: DeliveryTuning;
}

export function startDeliveryEngine(options: DeliveryEngineOptions) {
  const { database, queueDatabase, location, allows, proxies, tuning, logger, randomBytes } = options;
  const { telemetry = noTelemetry, now, troubles = createTroubles(logger) } = options;
  const { lookup = options.lookup, limits } = tuning;
  const { clock = () => performance.now(), after = afterTimeout, afterRound = afterImmediate } = tuning;
  const { deadlineMs = 15_000, leaseMs = 45_000, pollMs = 1_000 } = tuning;
  const { presence = openPresence(database, location, options) } = tuning;
  const notifications = createNotifications(database, options.channels, after);
  const queueTransaction = notifications.transactionOn(queueDatabase);
  const runInThread = inThread(queueDatabase);
  const carryOut: QueueContext['carryOut'] = async (order) => {
    // A gateway that delivers nothing settles nothing: its claims load no Kysely into the thread.
    if (runInThread !== null && order.settlement !== null) {
      const report = await runInThread<QueueReport>(queueModule, order);
      notifications.committed(report.changed);
      return report;
    }
    return queueTransaction(async (transaction, changed) => {
      const report = await settleAndClaim(transaction, order);
      changed.deliveries(report.changed);
      return report;
    });
  };
  const { outbound: network = createOutbound({ allows, lookup, proxies, connectTimeoutMs: deadlineMs }) } = tuning;
  const outbound = options.before?.(network) ?? network;
  const time = createSharedClock({ database: queueDatabase, now, wall: tuning.wall });
  const storedBytes = createStoredBytes({
    ...options,
    maxBytes: options.maxStoredBytes ?? 0,
    after,
    trouble: troubles.of('could not store how many bytes events take', { level: 'warn' }),
    unread: troubles.of('could not read how many bytes a workspace has stored', { level: 'warn', onDemand: true }),
  });
  const worker = new Worker({
    ...options,
    troubles,
    queue: createQueue({
      ...options,
      database: queueDatabase,
      time,
      carryOut,
      processId: presence.id,
      clock,
      leaseMs,
      storedBytes,
    }),
    outbound,
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
    clock,
    after,
    afterRound,
    limits: { ...laneLimits, bytes: options.maxBytes, ...limits },
    deadlineMs,
    leaseMs,
    pollMs,
  });
  notifications.onWork(() => worker.wake());
  const { transaction, statement } = notifications;
  const freeing = startFreeingDeadClaims({
    database,
    transaction,
    presence,
    logger,
    troubles,
    telemetry,
    after,
  });
  const pace = { troubles, clock, after };
  const holding = startSteps(
    pace,
    holds(database, transaction),
    'the deliveries of a disabled webhook could not be held',
  );
  const removal = startSteps(pace, removals(database), 'the deliveries of a deleted webhook could not be deleted');
  const emit = createEmit({ ...options, transaction, statement, storedBytes });
  const notifying = startSteps(
    pace,
    notices({ database, emit, logger, now }),
    'the owners of disabled webhooks could not be notified',
  );
  const retention = startRetention({
    ...options,
    troubles,
    clock,
    after,
  });
  const backlog = startBacklog(database, location, { metrics: telemetry.metrics, now, troubles });
  return {
    emit,
    storedBytes,
    /** Of the queue. */
    time,
    notifications,
    worker,
    /** Lets requests in flight end, and settles them. */
    close: (): Promise<void> =>
      closeAll([
        presence.close,
        storedBytes.close,
        () => Promise.all([outbound.close(), backlog.close()]),
        notifications.close,
        () => Promise.all([worker, retention, freeing, holding, removal, notifying].map((part) => part.close())),
      ]),
  };
}
