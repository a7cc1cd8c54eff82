/** Several pools to one database: statements that wait for a locked table exhaust only theirs. SQLite has one. */
import {
  type DatabaseLocation,
  directly,
  migrateAlone,
  type OnUnreachable,
  openDatabase,
  openUnmigrated,
  requireSamePlace,
} from './database.ts';
import type { OnFault } from './faults.ts';
import { migrations } from './migrations/index.ts';
import type { PoolFigures, StoreObserver } from './observed.ts';
import { postgresDefaults } from './postgres-settings.ts';

/** The share of the connections that each pool gets. */
const shares = {
  /** API keys, rate limits and readiness: every request needs them. */
  keys: 0.2,
  /** Accounts and their posts. */
  accounts: 0.2,
  /** Jobs and stored responses of an Idempotency-Key. */
  jobs: 0.2,
  /** The delivery queue: one transaction at a time, and the looks before sending beside it. */
  queue: 0.1,
} as const;

/** `deliveries` has the rest: webhooks, events and deliveries, for requests and for the engine. */
type Pool = keyof typeof shares | 'deliveries';

/** @param total at least one for each pool; the pools together never have more */
export function divideConnections(total: number): Readonly<Record<Pool, number>> {
  const part = (pool: keyof typeof shares) => Math.max(1, Math.floor(total * shares[pool]));
  const [keys, accounts, jobs, queue] = [part('keys'), part('accounts'), part('jobs'), part('queue')];
  return { keys, accounts, jobs, queue, deliveries: total - keys - accounts - jobs - queue };
}

interface DatabasesOptions {
  readonly observer?: StoreObserver | null;
  /** The statement that each of the queue's connections to Postgres begins with. */
  readonly queueSession?: string;
  readonly onWait?: () => void;
  readonly onUnreachable?: OnUnreachable;
}

/** Runs pending migrations. @throws DatabaseUnavailable; the driver's error when one fails */
export async function openDatabases(
  location: DatabaseLocation,
  onFault: OnFault,
  { observer = null, queueSession, onWait, onUnreachable }: DatabasesOptions = {},
) {
  if (location.kind === 'sqlite') {
    const options = { onFault, observer, startsBoth: true, ...(onWait && { onWait }) };
    const only = await openDatabase(location, migrations, options);
    return {
      keys: only,
      accounts: only,
      jobs: only,
      deliveries: only,
      queue: only,
      renew: () => undefined,
      close: () => only.destroy(),
    };
  }
  await migrateAlone(location, migrations, onWait, onUnreachable);
  const { settings = postgresDefaults } = location;
  const { Epoch } = await import('./postgres.ts');
  const epoch = new Epoch();
  const connectionsOf = divideConnections(settings.connections);
  const open = (pool: Pool) => {
    const connections = connectionsOf[pool];
    const figures = observer && { onFigures: (read: () => PoolFigures) => observer.onPool(pool, read) };
    // The queue's sessions hold locks and plans.
    const place = pool === 'queue' ? directly(location) : location;
    return openUnmigrated(
      { ...place, settings: { ...settings, connections } },
      {
        epoch,
        onFault,
        prepares: pool === 'queue' ? 'all' : 'repeated',
        ...(pool === 'queue' ? { session: queueSession } : {}),
        ...observer,
        ...figures,
      },
    );
  };
  const pools = {
    keys: await open('keys'),
    accounts: await open('accounts'),
    jobs: await open('jobs'),
    deliveries: await open('deliveries'),
    queue: await open('queue'),
  };
  const close = async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
  };
  if (location.directUrl !== undefined) {
    await requireSamePlace(pools.keys, pools.queue).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  }
  return {
    ...pools,
    /** Retires every connection made before a server fell silent. */
    renew: () => epoch.end(epoch.current),
    close,
  };
}
