/** What the simulated processes share: time, the database, the network, and those who watch. */
import type { Random } from '../support/random.ts';
import type { DatabaseFaults } from './database-faults.ts';
import type { Invariants } from './invariants/invariants.ts';
import type { Network } from './network.ts';
import type { SimulatedProcess } from './process.ts';
import type { Scenario } from './scenario.ts';
import type { Scheduler } from './scheduler.ts';
import type { SharedDatabase } from './shared-database.ts';
import type { Trace } from './trace.ts';
import type { WriterLock } from './writer-lock.ts';

export interface World {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly trace: Trace;
  readonly database: SharedDatabase;
  readonly lock: WriterLock;
  readonly databaseFaults: DatabaseFaults;
  readonly network: Network;
  readonly scenario: Scenario;
  readonly invariants: Invariants;
  /** All processes, the ended ones included. */
  readonly processes: SimulatedProcess[];
  /** The clock of the machine, in epoch milliseconds. */
  clock(): number;
  /** Sets the clock by so many milliseconds. */
  jump(ms: number): void;
  /** When the clock was last set, and when something last happened that engines may still be busy with. */
  readonly jumpedAt: number;
  lastHappening: number;
  /** Whether several processes have been alive at once. */
  hadSeveral: boolean;
  isAlive(id: string): boolean;
  /** Is told that a process has ended. */
  ended(process: SimulatedProcess): void;
}

/** The promise of a deployment is broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function require(holds: boolean, message: () => string): asserts holds {
  if (!holds) throw new Violation(message());
}
