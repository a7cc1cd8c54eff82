/** Telemetry of the database: spans of statements, load of the pools. */
import type { LogEvent } from 'kysely';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** Load of a pool. On SQLite a thread is a pool of one connection. */
export interface PoolFigures {
  readonly used: number;
  readonly idle: number;
  /** Statements without a connection. */
  readonly waiting: number;
}

export type OnPool = (name: string, figures: () => PoolFigures) => void;

export interface StoreObserver {
  readonly onPool: OnPool;
  /** Undefined where nobody traces statements. */
  readonly onStatement: ((event: LogEvent) => void) | undefined;
}

/** @returns null without metrics and traces */
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
    // The text has placeholders instead of values.
    onStatement:
      tracer === null
        ? undefined
        : ({ level, query: { sql }, queryDurationMillis }) =>
            tracer.past(spanNameOf(sql), queryDurationMillis, {
              kind: 'client',
              attributes: { 'db.query.text': sql.slice(0, maxStatementText) },
              failed: level === 'error' ? 'database' : undefined,
            }),
  };
}

const poolName = 'db.client.connection.pool.name';
const maxStatementText = 2_000;

/** `select deliveries`: verb and first table of a statement. */
function spanNameOf(sql: string): string {
  const [, verb = 'sql'] = /^\s*(\w+)/.exec(sql) ?? [];
  const [, table] = /\b(?:from|into|update)\s+"?(\w+)"?/i.exec(sql) ?? [];
  return table === undefined ? verb : `${verb} ${table}`;
}
