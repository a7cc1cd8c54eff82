/** One simulation, from its seed to its end. */
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from '../../src/store/migrations/index.ts';
import { seededRandom } from '../support/random.ts';
import { createCallers } from './callers.ts';
import { createDatabaseFaults } from './database-faults.ts';
import { SimulatedDialect } from './dialect.ts';
import { happen, restart, start } from './happenings.ts';
import { idleUntil } from './idle.ts';
import { createInvariants } from './invariants/invariants.ts';
import { isSettled } from './invariants/liveness.ts';
import { createNetwork } from './network.ts';
import { hostOf, populate } from './population.ts';
import { drawScenario } from './scenario.ts';
import { createScheduler } from './scheduler.ts';
import { openSharedDatabase, type SharedDatabase } from './shared-database.ts';
import { createTrace } from './trace.ts';
import type { World } from './world.ts';
import { createWriterLock } from './writer-lock.ts';

export interface Result {
  readonly seed: number;
  readonly scenario: string;
  /** What went wrong; null if nothing did. */
  readonly violation: Error | null;
  readonly steps: number;
  /** SHA-256 of the trace. */
  readonly digest: string;
}

const beganAt = Date.parse('2026-11-20T12:00:00Z');
const dayMs = 24 * 3_600_000;
/** How long after the last fault every delivery has found its end: the schedule, its jitter, and what clocks have jumped. */
const longestMs = 8 * dayMs;
/** A simulation that takes more steps than this goes round in circles. */
const mostSteps = 100_000;

/** Opens the database that simulations use, one after the other. */
export async function openSimulationDatabase(): Promise<SharedDatabase> {
  const database = openSharedDatabase();
  const user = {
    name: 'migrations',
    wait: async () => {},
    fateOf: () => ({ before: 0, after: 0 }),
    committed: () => {},
  };
  const db = new Kysely({ dialect: new SimulatedDialect(database, createWriterLock(), user) });
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  if (error !== undefined) throw error;
  return database;
}

/** @param write receives the trace, line by line */
export async function simulate(
  seed: number,
  database: SharedDatabase,
  write: ((line: string) => void) | null = null,
): Promise<Result> {
  database.clear();
  const world = createWorld(seed, database, write);
  const { scheduler, scenario, invariants, trace } = world;
  trace.line(`seed ${seed}: ${JSON.stringify(scenario)}`);
  const population = populate(world);
  const callers = createCallers(world, population);
  for (let left = scenario.processes; left > 0; left -= 1) start(world);
  for (const _ of scenario.behaviours) callers.create();
  for (const [at, happening] of scenario.happenings) {
    scheduler.in(1_000 + at, () => {
      trace.line(`${scheduler.now} happens: ${JSON.stringify(happening)}`);
      world.lastHappening = scheduler.now;
      happen(world, population, callers, happening);
    });
  }
  let isCalm = false;
  scheduler.in(1_000 + scenario.calmAt, () => {
    isCalm = true;
    calm(world);
  });
  let steps = 0;
  const go = async (until: () => boolean) => {
    while (invariants.violation === null && !until()) {
      steps += 1;
      if (!(await scheduler.step())) invariants.report(new Error('nothing happens any more'));
      if (steps > mostSteps) invariants.report(new Error('it goes on for ever'));
      const next = idleUntil(world);
      if (next !== null) scheduler.skipTo(next);
    }
  };
  await go(() => isCalm && (isSettled(world) || scheduler.now > scenario.calmAt + longestMs));
  invariants.settled();
  if (scenario.name === 'retention') {
    const endsAt = scheduler.now + scenario.retentionDays * dayMs + 90_000;
    scheduler.in(endsAt - scheduler.now + 1, () => {});
    await go(() => scheduler.now > endsAt);
    invariants.retained();
  }
  for (const process of world.processes) process.kill();
  return { seed, scenario: scenario.name, violation: invariants.violation, steps, digest: trace.digest() };
}

function createWorld(seed: number, database: SharedDatabase, write: ((line: string) => void) | null): World {
  const random = seededRandom(seed);
  const scheduler = createScheduler(seededRandom(random.int(2 ** 31)));
  const processes: World['processes'] = [];
  let offset = 0;
  let jumpedAt = Number.NEGATIVE_INFINITY;
  const world: World = {
    random,
    scheduler,
    database,
    processes,
    scenario: drawScenario(random),
    trace: createTrace(write),
    lock: createWriterLock(),
    databaseFaults: createDatabaseFaults(scheduler, seededRandom(random.int(2 ** 31))),
    network: createNetwork(seededRandom(random.int(2 ** 31))),
    invariants: createInvariants(() => world),
    clock: () => beganAt + offset + scheduler.now,
    jump(ms) {
      offset += ms;
      jumpedAt = scheduler.now;
    },
    get jumpedAt() {
      return jumpedAt;
    },
    lastHappening: 0,
    hadSeveral: false,
    isAlive: (id) => processes.some((process) => process.id === id && process.state !== 'ended'),
    ended(process) {
      world.lastHappening = scheduler.now;
      world.invariants.died(process);
      restart(world);
    },
  };
  return world;
}

/** Ends what is wrong, but for some of the destinations. */
function calm({ databaseFaults, network, random, trace, scheduler, scenario }: World): void {
  trace.line(`${scheduler.now} is calm`);
  databaseFaults.end();
  for (const host of network.behaviours.keys())
    if (scenario.name === 'storm' || random.chance(0.7)) network.behaviours.set(host, 'good');
  for (let webhook = 0; webhook < 8; webhook += 1) {
    if (!network.behaviours.has(hostOf(webhook))) network.behaviours.set(hostOf(webhook), 'good');
  }
}
