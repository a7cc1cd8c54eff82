/** What invariants know of the past, beside the rows. */
import type { Attempt, SimulatedProcess } from '../process.ts';
import type { World } from '../world.ts';
import { emptySnapshot, type Snapshot } from './snapshot.ts';

/** A caller's request to deliver again that has not ended. */
export interface Redelivery {
  readonly process: SimulatedProcess;
  readonly covers: (delivery: { readonly id: string; readonly webhook_id: string; readonly state: string }) => boolean;
}

export interface History {
  readonly world: World;
  snapshot: Snapshot;
  /** The attempts of each delivery. */
  readonly attempts: Map<string, Attempt[]>;
  readonly inFlight: Set<Attempt>;
  readonly redeliveries: Set<Redelivery>;
  /** Events that were acknowledged. */
  readonly acknowledged: Set<string>;
  /** Events and deliveries that were deleted, as they may be. */
  readonly deleted: Set<string>;
  /** Deliveries whose attempts are lost, as the log says. */
  readonly givenUp: Set<string>;
  /** Since when a delivery has been due, in virtual milliseconds. */
  readonly dueSince: Map<string, number>;
}

export const createHistory = (world: World): History => ({
  world,
  snapshot: emptySnapshot,
  attempts: new Map(),
  inFlight: new Set(),
  redeliveries: new Set(),
  acknowledged: new Set(),
  deleted: new Set(),
  givenUp: new Set(),
  dueSince: new Map(),
});

/** A commit: the rows before and after it, and who committed. */
export interface Commit {
  readonly process: SimulatedProcess;
  readonly before: Snapshot;
  readonly after: Snapshot;
}
