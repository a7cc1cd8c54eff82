/**
 * What the gateway costs in embedded mode, on SQLite and on Postgres, compared with resolvers written by hand over the
 * same rows. All gateways share one core, and are measured in turn within each round. Postern checks API keys and counts
 * requests; the peer does neither. Both write a line of their log for each request.
 *
 *   npm ci --prefix test/bench/peers
 *   TEST_POSTGRES_URL=postgres://… node test/bench/embedded/run.ts
 *
 * ROUNDS and ROUND_MS say how long. SCENARIOS (names of scenarios.ts), TARGETS (names of targets.ts) and DATABASES choose,
 * separated by commas. TARGETS=postern,baseline measures this checkout beside the one in BASELINE.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databases } from '../../support/databases.ts';
import { forkModule, isPinned } from '../children.ts';
import { chosen } from '../chosen.ts';
import { requireSameResponses } from '../compare.ts';
import type { Bench, Figures } from '../measure.ts';
import type { Query } from '../operations.ts';
import { figuresTable, medianRatio, ratio, section, table } from '../report.ts';
import { measureRounds } from '../rounds.ts';
import type { Running } from '../targets.ts';
import { queryOf, type ScenarioName, scenarioNames } from './scenarios.ts';
import { prepare, startTarget, type TargetName, targets, usualTargets } from './targets.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const roundMs = Number(process.env.ROUND_MS ?? 2_000);
const connections = 32;

const measured = chosen('SCENARIOS', scenarioNames);
const targetNames = chosen('TARGETS', Object.keys(targets) as TargetName[], usualTargets);
const databaseNames = chosen(
  'DATABASES',
  databases.map(({ name }) => name),
);

type Results = ReadonlyMap<ScenarioName, ReadonlyMap<TargetName, readonly Figures[]>>;

async function measureOn(
  dialect: (typeof databases)[number],
  bench: Bench,
  directory: string,
): Promise<{ readonly results: Results; readonly queries: Readonly<Record<ScenarioName, Query>> }> {
  const database = await dialect.location();
  const children: ChildProcess[] = [];
  try {
    const place = await prepare(database, join(directory, dialect.name));
    const running = new Map<TargetName, Running>();
    for (const name of targetNames) {
      const target = await startTarget(name, place, join(directory, `${dialect.name}-${name}`));
      children.push(target.process);
      running.set(name, target);
    }
    const queries = Object.fromEntries(measured.map((name) => [name, queryOf(name, place.filled)])) as Record<
      ScenarioName,
      Query
    >;
    for (const query of Object.values(queries)) await requireSameResponses([...running.values()], query);
    process.stderr.write(`${dialect.name}: `);
    const results = await measureRounds(bench, new Map(measured.map((name) => [name, targetNames])), {
      ...{ queries, running, connections, rounds, roundMs },
    });
    return { results, queries };
  } finally {
    for (const child of children) child.kill();
    await database.drop();
  }
}

/** Postern against the peer: a row for each scenario. */
function comparison(results: Results, queries: Readonly<Record<ScenarioName, Query>>): string {
  const rows = [...results].flatMap(([name, of]) => {
    const own = of.get('postern') ?? [];
    return [...of]
      .filter(([target]) => target !== 'postern')
      .map(([target, others]) => [
        `${queries[name].title} ÷ ${targets[target].title}`,
        ...(['perSecond', 'cpu', 'p99', 'allocated', 'database'] as const).map((column) =>
          ratio(
            medianRatio(
              own.map((figures) => figures[column]),
              others.map((figures) => figures[column]),
            ),
          ),
        ),
      ]);
  });
  const headings = ['', 'requests/s', 'CPU', 'p99', 'KiB allocated', 'CPU of the database server'];
  return section('Postern against the others', table(headings, rows));
}

const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
const load = forkModule({ file: join(import.meta.dirname, '../load.ts'), logFile: join(directory, 'load.ts') }, 'rest');
try {
  process.stdout.write(
    `${rounds} rounds of ${roundMs} ms, ${connections} connections, ${isPinned ? 'one core for the gateways' : 'no core reserved'}.\n`,
  );
  for (const dialect of databases.filter(({ name }) => databaseNames.includes(name))) {
    const { results, queries } = await measureOn(dialect, { load }, directory);
    const sections = [...results].map(([name, of]) =>
      section(queries[name].title, figuresTable([...of].map(([target, each]) => [targets[target].title, each]))),
    );
    process.stdout.write(`\n## ${dialect.name}\n\n${[comparison(results, queries), ...sections].join('\n\n')}\n`);
  }
} finally {
  load.kill();
  await rm(directory, { recursive: true, force: true });
}
