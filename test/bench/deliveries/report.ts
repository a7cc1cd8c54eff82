/** The tables of the delivery bench. Ratios are medians of what each round gave: the machine's other load cancels out. */
import { median } from '../measure.ts';
import { medianRatio, number, ratio, section, table } from '../report.ts';
import { goals } from './goals.ts';
import type { Latency, Throughput } from './measure.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';
import { type Target, type TargetName, targets } from './targets.ts';

/** The figures of each round, by scenario and target. */
export interface Results {
  readonly throughput: ReadonlyMap<ScenarioName, ReadonlyMap<TargetName, readonly Throughput[]>>;
  readonly latency: ReadonlyMap<TargetName, readonly Latency[]>;
}

const compared: readonly TargetName[] = ['bare', 'graphile', 'batching', 'bullmq'];

function throughputTable(name: ScenarioName, of: ReadonlyMap<TargetName, readonly Throughput[]>): string {
  const { concurrency, title } = scenarios[name];
  const rates = (target: TargetName) => of.get(target)?.map(({ perSecond }) => perSecond);
  const rows = [...of].map(([target, rounds]) => [
    targets[target].title,
    number(median(rounds.map(({ perSecond }) => perSecond))),
    ...compared.map((other) => ratio(medianRatio(rates(target), rates(other)))),
    ...(['cpu', 'serverCpu', 'memory'] as const).map((column) => number(median(rounds.map((each) => each[column])))),
  ]);
  const headings = [
    '',
    'deliveries/s',
    ...compared.map((other) => `÷ ${targets[other].title}`),
    'CPU µs/delivery',
    'of the database server',
    'peak MiB',
  ];
  return section(`Throughput: ${title}, ${concurrency} requests at once of a worker`, table(headings, rows));
}

function latencyTable(latency: Results['latency']): string {
  const rows = [...latency].map(([target, rounds]) => [
    targets[target].title,
    ...(['p50', 'p99', 'max'] as const).map((column) => number(median(rounds.map((each) => each[column])))),
  ]);
  const headings = ['', 'p50 ms', 'p99 ms', 'max ms'];
  return section(`From emitting to the first byte: ${scenarios.latency.title}`, table(headings, rows));
}

const goalTable = (results: Results): string =>
  section(
    'Goals',
    table(
      ['', 'goal', 'measured', 'met'],
      goals(results).map(({ title, goal, value, met }) => [
        title,
        goal,
        number(value, 2),
        Number.isNaN(value) ? '–' : met ? 'yes' : 'no',
      ]),
    ),
  );

const keeping = (measured: readonly Target[]): string => {
  const titles = (keeps: boolean) =>
    measured
      .filter(({ keepsCompleted, store }) => keepsCompleted === keeps && store !== 'nothing')
      .map((of) => of.title);
  return `Completed deliveries are kept by ${titles(true).join(' and ') || 'none'}; deleted by ${titles(false).join(' and ') || 'none'}.`;
};

/** @param durability what survives a crash, a sentence for each store */
export function report(results: Results, measured: readonly TargetName[], durability: readonly string[]): string {
  return [
    'All send the same bytes under the same headers, signed by the same function, to receivers in a process of their own; each ' +
      'has ten attempts with backoff, but for the bare loop. Postern is a whole gateway with its GraphQL server, the others are workers alone.',
    `${keeping(measured.map((name) => targets[name]))} Durability: ${durability.join('; ')}.`,
    goalTable(results),
    ...[...results.throughput].map(([name, of]) => throughputTable(name, of)),
    ...(results.latency.size === 0 ? [] : [latencyTable(results.latency)]),
  ].join('\n\n');
}
