/**
 * One database over several pools of connections. Statements that wait for a locked table hold the connections of their own
 * pool at most: what has nothing to do with the table finds others. On SQLite there is one connection for everything.
 */
import { connect, type Database, type DatabaseLocation, openDatabase } from './database.ts';
import type { OnFault } from './faults.ts';
import type { OnWait } from './lock-holders.ts';
import { migrations } from './migrations/index.ts';
import type { PoolFigures, StoreObserver } from './observed.ts';
import { Epoch } from './postgres.ts';
import { postgresDefaults } from './postgres-settings.ts';

/** The pools by what they are for, and the share of the connections that each of them gets. */
const shares = {
  /** API keys, rate limits, and whether the gateway is ready: every request needs them. */
  keys: 0.2,
  /** Accounts, and so their posts. */
  accounts: 0.2,
  /** Jobs, and what is stored under an Idempotency-Key. */
  jobs: 0.2,
  /** The transactions of the delivery queue: one at a time, of the same few statements. */
  queue: 0.05,
} as const;

/** `deliveries` has the rest: webhooks, events and deliveries, for requests and for the delivery engine. */
type Pool = keyof typeof shares | 'deliveries';

/** Divides connections among the pools: together they never have more. @param total at least one for each pool */
export function divideConnections(total: number): Readonly<Record<Pool, number>> {
  const part = (share: number) => Math.max(1, Math.floor(total * share));
  const [keys, accounts, jobs, queue] = [
    part(shares.keys),
    part(shares.accounts),
    part(shares.jobs),
    part(shares.queue),
  ];
  return { keys, accounts, jobs, queue, deliveries: total - keys - accounts - jobs - queue };
}

export interface Databases extends Readonly<Record<Pool, Database>> {
  /** Every connection was made before a server fell silent: none of them is used for another statement. */
  renew(): void;
  close(): Promise<void>;
}

export interface DatabasesOptions {
  readonly observer?: StoreObserver | null;
  /** The statement that each connection of the queue to Postgres begins with. */
  readonly queueSession?: string;
  readonly onWait?: OnWait;
}

/**
 * Opens the database as {@link openDatabase} does.
 * @throws DatabaseUnavailable when the database cannot be reached; the driver's error when a migration fails
 */
export async function openDatabases(
  location: DatabaseLocation,
  onFault: OnFault,
  { observer = null, queueSession, onWait }: DatabasesOptions = {},
): Promise<Databases> {
  const migrated = await openDatabase(location, migrations, { onFault, observer, ...(onWait && { onWait }) });
  if (location.kind === 'sqlite') {
    return {
      keys: migrated,
      accounts: migrated,
      jobs: migrated,
      deliveries: migrated,
      queue: migrated,
      renew: () => undefined,
      close: () => migrated.destroy(),
    };
  }
  await migrated.destroy();
  const { settings = postgresDefaults } = location;
  const epoch = new Epoch();
  const connectionsOf = divideConnections(settings.connections);
  const open = (pool: Pool) => {
    const connections = connectionsOf[pool];
    const figures = observer && { onFigures: (read: () => PoolFigures) => observer.onPool(pool, read) };
    return connect(
      { ...location, settings: { ...settings, connections } },
      {
        epoch,
        onFault,
        ...(pool === 'queue' ? { prepares: true, session: queueSession } : {}),
        ...observer,
        ...figures,
      },
    );
  };
  const pools = {
    keys: open('keys'),
    accounts: open('accounts'),
    jobs: open('jobs'),
    deliveries: open('deliveries'),
    queue: open('queue'),
  };
  return {
    ...pools,
    renew: () => epoch.end(epoch.current),
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
    },
  };
}
