/** What telemetry learns of the database: spans of statements, and how busy the pools are. */
import type { LogEvent } from 'kysely';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** How busy a pool is. On SQLite a thread is a pool of one connection. */
export interface PoolFigures {
  readonly used: number;
  readonly idle: number;
  /** What waits for a connection. */
  readonly waiting: number;
}

/** Takes what tells the figures of a pool, by its name. */
export type OnPool = (name: string, figures: () => PoolFigures) => void;

/** What the store reports to. */
export interface StoreObserver {
  readonly onPool: OnPool;
  /** Of each statement; undefined where nobody traces them. */
  readonly onStatement: ((event: LogEvent) => void) | undefined;
}

/** @returns null if nobody wants to know */
export function observeStore({ metrics, tracer }: Pick<Telemetry, 'metrics' | 'tracer'>): StoreObserver | null {
  if (metrics === null && tracer === null) return null;
  const pools = new Map<string, () => PoolFigures>();
  metrics?.observe('db.client.connection.count', () =>
    [...pools].flatMap(([name, figures]) => {
      const { used, idle } = figures();
      return [
        [used, { [poolName]: name, 'db.client.connection.state': 'used' }],
        [idle, { [poolName]: name, 'db.client.connection.state': 'idle' }],
      ] as const;
    }),
  );
  metrics?.observe('db.client.connection.pending_requests', () =>
    [...pools].map(([name, figures]) => [figures().waiting, { [poolName]: name }]),
  );
  return {
    onPool(name, figures) {
      pools.set(name, figures);
    },
    // The text of a statement has places instead of values.
    onStatement:
      tracer === null
        ? undefined
        : ({ level, query: { sql }, queryDurationMillis }) =>
            tracer.past(nameOf(sql), queryDurationMillis, {
              kind: 'client',
              attributes: { 'db.query.text': sql.slice(0, maxText) },
              failed: level === 'error' ? 'database' : undefined,
            }),
  };
}

const poolName = 'db.client.connection.pool.name';
const maxText = 2_000;

/** `select deliveries`: the first word of a statement and the first table that it names. */
function nameOf(sql: string): string {
  const [, verb = 'sql'] = /^\s*(\w+)/.exec(sql) ?? [];
  const [, table] = /\b(?:from|into|update)\s+"?(\w+)"?/i.exec(sql) ?? [];
  return table === undefined ? verb : `${verb} ${table}`;
}
