/** What delivers: Postern on its two databases, what people would take instead, and the least that can be done. */
import { join } from 'node:path';
import { keysOf } from '../../../src/kernel/lib/objects.ts';

export interface Target {
  readonly title: string;
  readonly module: string;
  readonly mode?: string;
  /** What it keeps its deliveries in. */
  readonly store: 'SQLite' | 'Postgres' | 'Redis' | 'nothing';
  readonly keepsCompleted: boolean;
}

const peer = (name: string) => join(import.meta.dirname, '../peers', name);
const postern = join(import.meta.dirname, 'postern.ts');
/** Of another checkout. */
const baseline = join(process.env.BASELINE ?? '.', 'test/bench/deliveries/postern.ts');

export const targets = {
  sqlite: { title: 'Postern, SQLite', module: postern, store: 'SQLite', keepsCompleted: true },
  postgres: { title: 'Postern, Postgres', module: postern, store: 'Postgres', keepsCompleted: true },
  baselineSqlite: { title: 'BASELINE, SQLite', module: baseline, store: 'SQLite', keepsCompleted: true },
  baselinePostgres: { title: 'BASELINE, Postgres', module: baseline, store: 'Postgres', keepsCompleted: true },
  graphile: {
    title: 'graphile-worker, defaults',
    module: peer('graphile-worker.js'),
    store: 'Postgres',
    keepsCompleted: false,
  },
  batching: {
    title: 'graphile-worker, batching',
    module: peer('graphile-worker.js'),
    mode: 'batching',
    store: 'Postgres',
    keepsCompleted: false,
  },
  bullmq: { title: 'BullMQ', module: peer('bullmq.js'), store: 'Redis', keepsCompleted: true },
  bare: { title: 'bare loop', module: peer('bare-loop.js'), store: 'nothing', keepsCompleted: false },
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof targets;

export const usualTargets = keysOf(targets).filter((name) => targets[name].module !== baseline);
