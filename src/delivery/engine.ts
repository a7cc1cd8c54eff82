/** Delivery as one thing: what the composition root starts and stops. */
import type { Logger } from 'pino';
import type { RandomBytes } from '../ids.ts';
import type { AddressRule } from '../security/addresses.ts';
import { createOutbound, dnsLookup, type Lookup } from '../security/outbound.ts';
import type { Vault } from '../security/vault.ts';
import type { Database, DatabaseLocation } from '../store/database.ts';
import { createEmit, type Emit } from './emit.ts';
import { type LaneLimits, laneLimits } from './lanes.ts';
import { createSignals, type Signals } from './notifications.ts';
import { createQueue } from './queue.ts';
import { openTurns } from './queue-thread.ts';
import { startRetention } from './retention.ts';
import { type After, afterTimeout, startWorker, type Worker } from './worker.ts';

/** What tests set otherwise: none of it is for users to turn. */
export interface DeliveryTuning {
  readonly lookup?: Lookup;
  readonly after?: After;
  readonly limits?: Partial<LaneLimits>;
  /** A request has this long, the answer's body included. */
  readonly deadlineMs?: number;
  readonly leaseMs?: number;
  readonly pollMs?: number;
}

export interface Delivery {
  readonly emit: Emit;
  readonly signals: Signals;
  readonly worker: Worker;
  /** Lets what is on its way end. */
  close(): Promise<void>;
}

export interface DeliveryOptions {
  readonly database: Database;
  readonly location: DatabaseLocation;
  readonly vault: Vault;
  readonly allows: AddressRule;
  readonly retentionDays: number;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly tuning: DeliveryTuning;
}

export function startDelivery({ location, allows, retentionDays, tuning, ...given }: DeliveryOptions): Delivery {
  const { lookup = dnsLookup, after = afterTimeout, limits } = tuning;
  const { deadlineMs = 15_000, leaseMs = 45_000, pollMs = 1_000 } = tuning;
  const { kind } = location;
  const signals = createSignals(location, given.logger);
  const turns = openTurns(given.database, location, signals);
  const outbound = createOutbound({ allows, lookup, connectTimeoutMs: deadlineMs });
  const random = () => given.randomBytes(4).readUInt32BE() / 2 ** 32;
  const worker = startWorker({
    ...given,
    queue: createQueue({ ...given, makeTurn: turns.make, signals, leaseMs }),
    outbound,
    random,
    after,
    limits: { ...laneLimits, ...limits },
    deadlineMs,
    leaseMs,
    pollMs,
  });
  signals.onWork(worker.wake);
  const retention = startRetention({ ...given, days: retentionDays, after });
  return {
    emit: createEmit({ ...given, kind, signals }),
    signals,
    worker,
    async close() {
      await Promise.all([worker.close(), retention.close()]);
      await Promise.all([signals.close(), outbound.close(), turns.close()]);
    },
  };
}
