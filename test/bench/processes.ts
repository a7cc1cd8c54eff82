/**
 * Requests per second over one process, over two, and over one for each core (PROCESSES), measured in turn within each round on one
 * SQLite file. No core is reserved: the load generator takes its share of them, which the gateway then lacks.
 *
 *   ROUNDS=5 ROUND_MS=2000 node test/bench/processes.ts
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { databases } from '../support/databases.ts';
import { testSecret } from '../support/webhooks.ts';
import { spawnGateway } from './children.ts';
import { queryOf } from './embedded/scenarios.ts';
import { prepare } from './embedded/targets.ts';
import { median } from './measure.ts';
import { firstAnswer, install, logFileOf, startPostern } from './postern.ts';
import { table } from './report.ts';
import { measureRounds } from './rounds.ts';
import type { Running } from './targets.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const roundMs = Number(process.env.ROUND_MS ?? 2_000);
const counts = [...new Set([1, 2, availableParallelism()])];
const names = ['few', 'webhooks'] as const;

const sqlite = databases.find(({ name }) => name === 'SQLite');
if (sqlite === undefined) throw new Error('SQLite is gone');
const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
const database = await sqlite.location();
const children: ChildProcess[] = [];
try {
  const { key, filled } = await prepare(database, join(directory, 'prepare'));
  const load = spawnGateway(
    { file: join(import.meta.dirname, 'load.ts'), logFile: join(directory, 'load') },
    { onOneCore: false },
  );
  children.push(load);
  const running = new Map<number, Running>();
  for (const count of counts) {
    const environment = { DATABASE_URL: database.url, SECRET: testSecret, PROCESSES: String(count) };
    const installation = await install(join(directory, String(count)), environment);
    const postern = await startPostern(installation, { onOneCore: false });
    children.push(postern.process);
    await firstAnswer(postern, { query: '{ __typename }' });
    running.set(count, { ...postern, key, logFile: logFileOf(installation) });
  }
  const queries = { few: queryOf('few', filled), webhooks: queryOf('webhooks', filled) };
  const results = await measureRounds({ load }, new Map(names.map((name) => [name, counts])), {
    ...{ queries, running, connections: 32, rounds, roundMs },
  });
  const rows = [...results].flatMap(([name, of]) =>
    [...of].map(([count, figures]) => [
      queries[name].title,
      String(count),
      ...(['perSecond', 'p50', 'p99'] as const).map((column) =>
        median(figures.map((each) => each[column])).toFixed(column === 'perSecond' ? 0 : 1),
      ),
    ]),
  );
  process.stdout.write(`${table(['', 'processes', 'requests/s', 'p50 ms', 'p99 ms'], rows)}\n`);
} finally {
  for (const child of children) child.kill();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
}
