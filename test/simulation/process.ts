/** A process: the real engine with the real commands of callers, over a simulated clock, network and database. */
import { Kysely } from 'kysely';
import { pino } from 'pino';
import { connectedHere } from '../../src/auth/account-rule.ts';
import { deliveryCommands } from '../../src/capabilities/deliveries/commands.ts';
import { embeddedWebhooks } from '../../src/capabilities/webhooks/embedded.ts';
import { type DeliveryEngine, startDeliveryEngine } from '../../src/delivery/engine.ts';
import { cursorCodec } from '../../src/kernel/paging.ts';
import { createVault } from '../../src/kernel/secrets/vault.ts';
import type { OutboundResponse } from '../../src/net/outbound.ts';
import { createReadBudget } from '../../src/store/read-budget.ts';
import type { Tables } from '../../src/store/schema.ts';
import { type Random, seededRandom } from '../support/random.ts';
import { type DatabaseUser, SimulatedDialect } from './dialect.ts';
import type { SentRequest } from './network.ts';
import type { World } from './world.ts';

/** A request of a process that has begun, and how it ended. */
export interface Attempt {
  readonly process: SimulatedProcess;
  readonly request: SentRequest;
  readonly beganAt: number;
  readonly beganOnClock: number;
  ended: { readonly response: OutboundResponse; readonly at: number; readonly onClock: number } | null;
  /** Whether the database has it. */
  settled: boolean;
  /** Whether another process has claimed the delivery since, because the lease was over. */
  superseded: boolean;
}

export interface SimulatedProcess {
  /** The id with which its claims begin. */
  readonly id: string;
  readonly state: 'running' | 'stopping' | 'ended';
  readonly startedAt: number;
  readonly endedAt: number;
  /** Its clock, in epoch milliseconds, which may be wrong. */
  clock(): number;
  readonly deliveries: ReturnType<typeof deliveryCommands>;
  readonly webhooks: ReturnType<typeof embeddedWebhooks>;
  /** The process ends between two instructions. */
  kill(): void;
  /** The process is killed with one of its next statements. */
  killWithin(statements: number): void;
  /** Nothing of the process happens for so many milliseconds, as when the machine suspends it. */
  pause(ms: number): void;
  /** Suspends the process with one of its next statements. */
  pauseWithin(statements: number, ms: number): void;
  /** The process stops as it does for SIGTERM. */
  stop(): Promise<void>;
}

/** Keys of all processes of a deployment. */
const vaultKey = Buffer.alloc(32, 1);
const cursorKey = Buffer.alloc(32, 2);

/** Small numbers, so that few deliveries fill them. */
const limits = { slots: 6, firstSlots: 2, allSlots: 40, perDestination: 4, initial: 2 } as const;

export const timing = { deadlineMs: 15_000, leaseMs: 45_000, pollMs: 1_000 } as const;

export function startProcess(world: World): SimulatedProcess {
  const { scheduler, trace } = world;
  const random = seededRandom(world.random.int(2 ** 31));
  const id = randomBytesOf(random)(8).toString('hex', 0, 4);
  const startedAt = scheduler.now;
  let state: SimulatedProcess['state'] = 'running';
  let endedAt = Number.POSITIVE_INFINITY;
  let pausedUntil = 0;
  let pause = { statements: Number.POSITIVE_INFINITY, ms: 0 };
  let statementsLeft = Number.POSITIVE_INFINITY;

  const say = (text: string) => {
    if (state !== 'ended') trace.line(`${scheduler.now} ${id} ${text}`);
  };
  const schedule = (ms: number, work: () => void, kind?: 'timer') => {
    const run = () => {
      if (state === 'ended') return;
      if (scheduler.now < pausedUntil) cancel = scheduler.in(pausedUntil - scheduler.now, run, kind);
      else work();
    };
    let cancel = scheduler.in(ms, run, kind);
    return () => cancel();
  };
  const end = (how: string) => {
    if (state === 'ended') return;
    say(how);
    state = 'ended';
    endedAt = scheduler.now;
    if (world.lock.abandon(id)) {
      world.database.rollback();
      // The others have waited for it until now.
      world.databaseFaults.noticed(endedAt);
    }
    world.ended(process);
  };
  const suspend = (ms: number) => {
    say('is suspended');
    pausedUntil = scheduler.now + ms;
    // What it has in flight may take longer than its lease.
    world.invariants.forgives(process);
    world.databaseFaults.noticed(pausedUntil);
  };
  const user: DatabaseUser = {
    name: id,
    wait: (ms) =>
      new Promise((resolve) => {
        schedule(ms, () => {
          world.databaseFaults.took(ms);
          resolve();
        });
      }),
    fateOf(sql) {
      say(sql);
      statementsLeft -= 1;
      if (statementsLeft === 0) schedule(0, () => end('is killed'));
      pause.statements -= 1;
      if (pause.statements === 0) suspend(pause.ms);
      return world.databaseFaults.fateOf(sql);
    },
    committed() {
      say('has committed');
      world.invariants.committed(process);
    },
  };
  const database = new Kysely<Tables>({ dialect: new SimulatedDialect(world.database, world.lock, user) });
  const clock = () => world.clock();
  const now = () => new Date(clock());
  const randomBytes = randomBytesOf(random);
  const vault = createVault(vaultKey, randomBytes);
  const allows = () => true;
  const attempts = new Map<SentRequest, Attempt>();
  const outbound = world.network.outbound({
    in: (ms, work) => void schedule(ms, work),
    began(request) {
      const attempt: Attempt = {
        process,
        request,
        beganAt: scheduler.now,
        beganOnClock: clock(),
        ended: null,
        settled: false,
        superseded: false,
      };
      attempts.set(request, attempt);
      say(`sends ${request.deliveryId} to ${request.host}, which ${request.behaviour}`);
      world.invariants.began(attempt);
    },
    ended(request, response) {
      const attempt = attempts.get(request);
      if (attempt === undefined) throw new Error('The request has not begun');
      attempts.delete(request);
      attempt.ended = { response, at: scheduler.now, onClock: clock() };
      say(`has for ${request.deliveryId}: ${response.status} ${response.failure} ${response.retryAfter}`);
      world.invariants.ended(attempt);
    },
  });
  const logger = pino(
    {
      base: null,
      timestamp: false,
      serializers: {
        err: (error: unknown) => {
          world.invariants.logged(error);
          return String(error);
        },
      },
    },
    {
      write(line) {
        say(line.trim());
        world.invariants.wroteLog(line);
      },
    },
  );
  const engine: DeliveryEngine = startDeliveryEngine({
    database,
    queueDatabase: database,
    location: { kind: 'sqlite', file: ':memory:' },
    channels: null,
    processId: id,
    vault,
    allows,
    lookup: async () => [],
    retentionDays: world.scenario.retentionDays,
    maxEvents: world.scenario.maxEvents,
    maxBytes: 64 * 1024 * 1024,
    logger,
    now,
    randomBytes,
    tuning: {
      ...timing,
      limits,
      outbound,
      presence: {
        id,
        findDead: async (ids) => ids.filter((each) => !world.isAlive(each)),
        close: () => {},
      },
      clock: () => scheduler.now,
      after: (ms, work) => schedule(Math.max(1, Math.ceil(ms)), work, 'timer'),
      afterRound: (work) => schedule(0, work),
    },
  });
  const { emit, notifications } = engine;
  const process: SimulatedProcess = {
    id,
    startedAt,
    get state() {
      return state;
    },
    get endedAt() {
      return endedAt;
    },
    clock,
    deliveries: deliveryCommands({
      database,
      emit,
      notifications,
      now,
      time: async () => now().getTime(),
    }),
    webhooks: embeddedWebhooks({
      database,
      vault,
      isRefused: () => false,
      now,
      randomBytes,
      maxWebhooks: 0,
      accountRule: connectedHere,
      notifications,
      inLine: (_command, work) => work(),
      cursors: cursorCodec(cursorKey, 'base64url'),
      budget: createReadBudget(),
    }),
    kill: () => end('is killed'),
    killWithin(statements) {
      statementsLeft = statements;
    },
    pause: suspend,
    pauseWithin(statements, ms) {
      pause = { statements, ms };
    },
    async stop() {
      if (state !== 'running') return;
      state = 'stopping';
      say('stops');
      await engine.close();
      end('has stopped');
    },
  };
  say('starts');
  return process;
}

/** Random bytes of a seed. Those of a number are now and then the least or the greatest that there are. */
function randomBytesOf(random: Random) {
  return (size: number): Buffer => {
    if (size === 4 && random.chance(0.2)) return Buffer.alloc(size, random.pick([0, 255]));
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at += 1) bytes[at] = random.int(256);
    return bytes;
  };
}
