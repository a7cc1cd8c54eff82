/** The tables of the benchmark. Ratios are medians of what each round gave: the machine's other load cancels out of them. */
import { type ConnectionFigures, connectionCounts } from './connections.ts';
import { type Figures, median } from './measure.ts';
import { type OperationName, operations } from './operations.ts';
import type { StartFigures } from './start.ts';
import { type TargetName, targets } from './targets.ts';

/** The figures of each round, by operation and target. */
export type Results = ReadonlyMap<OperationName, ReadonlyMap<TargetName, readonly Figures[]>>;

type Column = keyof Figures;

export const number = (value: number, digits = value >= 100 ? 0 : 1): string =>
  Number.isNaN(value) ? '–' : value.toFixed(digits);
export const ratio = (value: number): string => (Number.isNaN(value) ? '–' : `${value.toFixed(2)} ×`);
const share = (value: number): string => (Number.isNaN(value) ? '–' : `${(value * 100).toFixed(0)} %`);

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map((_, n) => (n === 0 ? '---' : '---:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export const section = (title: string, ...parts: readonly string[]): string => [`### ${title}`, ...parts].join('\n\n');

/** The median over the rounds of the ratio of two series; NaN if one of them was not measured. */
export const medianRatio = (own: readonly number[] = [], others: readonly number[] = []): number =>
  median(own.map((value, round) => value / (others[round] ?? Number.NaN)));

/** Postern's figure in one column as a ratio to another target's, or the other way round. */
function against(
  of: ReadonlyMap<TargetName, readonly Figures[]>,
  target: TargetName,
  column: Column,
  inverse = false,
): number {
  const valuesOf = (name: TargetName) => of.get(name)?.map((figures) => figures[column]);
  const [own, others] = [valuesOf('postern'), valuesOf(target)];
  return inverse ? medianRatio(others, own) : medianRatio(own, others);
}

/** Postern against the others: a row for each operation. */
function comparison(results: Results): string {
  const rows = [...results].map(([name, of]) => [
    operations[name].title,
    share(against(of, 'bytes', 'perSecond')),
    share(against(of, 'bytes', 'cpu', true)),
    ratio(against(of, 'mercurius', 'perSecond')),
    ratio(against(of, 'mercurius', 'cpu', true)),
    ratio(against(of, 'apollo', 'perSecond')),
    ratio(against(of, 'apollo', 'cpu', true)),
    ratio(against(of, 'bytes', 'p99')),
    ratio(against(of, 'bytes', 'memory')),
  ]);
  const headings = [
    '',
    'req/s ÷ byte proxy',
    'req per CPU s ÷ byte proxy',
    'req/s ÷ Mercurius',
    'req per CPU s ÷ Mercurius',
    'req/s ÷ Apollo',
    'req per CPU s ÷ Apollo',
    'p99 ÷ byte proxy',
    'peak MiB ÷ byte proxy',
  ];
  return section('Postern against the others', table(headings, rows));
}

const figureColumns = {
  perSecond: 'requests/s',
  p50: 'p50 ms',
  p99: 'p99 ms',
  cpu: 'CPU µs/request',
  user: 'of it user µs',
  allocated: 'KiB allocated/request',
  collections: 'major collections/1,000 requests',
  memory: 'peak MiB',
  beside: 'core of upstream and load',
  database: 'of the database server, CPU µs/request',
} as const satisfies Record<Column, string>;

/** The medians of each target, by its title, without columns that nothing was measured for. */
export function figuresTable(of: readonly (readonly [title: string, rounds: readonly Figures[]])[]): string {
  const measured = (Object.keys(figureColumns) as Column[]).filter((column) =>
    of.some(([, rounds]) => rounds.some((figures) => !Number.isNaN(figures[column]))),
  );
  const rows = of.map(([title, rounds]) => [
    title,
    ...measured.map((column) => {
      const value = median(rounds.map((figures) => figures[column]));
      return column === 'beside' ? share(value / 100) : number(value);
    }),
  ]);
  return table(['', ...measured.map((column) => figureColumns[column])], rows);
}

const figuresOf = (name: OperationName, of: ReadonlyMap<TargetName, readonly Figures[]>, compiled: string): string =>
  section(
    operations[name].title,
    `In Postern's log: \`compiled: ${compiled}\`.`,
    figuresTable([...of].map(([target, rounds]) => [targets[target].title, rounds])),
  );

function connectionTable(figures: readonly ConnectionFigures[]): string {
  const [few, many] = connectionCounts;
  const rows = figures.map(({ operation, target, perSecond, rounds }) => {
    const at = (connections: typeof few | typeof many, column: Column) =>
      number(median(rounds.map((round) => round[connections][column])));
    return [
      `${operations[operation].title}: ${targets[target].title}`,
      number(perSecond),
      at(few, 'p50'),
      at(many, 'p50'),
      at(few, 'p99'),
      at(many, 'p99'),
      ratio(median(rounds.map((round) => round[many].p99 / round[few].p99))),
      at(few, 'memory'),
      at(many, 'memory'),
    ];
  });
  const columns = ['p50 ms', 'p99 ms'].flatMap((what) => connectionCounts.map((count) => `${what}, ${count}`));
  const memory = connectionCounts.map((count) => `peak MiB, ${count}`);
  return section(
    `${few} and ${many} connections at one rate`,
    table(['', 'requests/s', ...columns, 'p99 to p99', ...memory], rows),
  );
}

const startTable = (figures: readonly StartFigures[]): string =>
  section(
    'Start',
    'From `npm start`, without npm, to the first answer with status 200, on an existing database and on all cores.',
    table(
      ['', 'first answer after ms', 'CPU ms', 'idle MiB'],
      figures.map(({ title, ms, cpuMs, idleMiB }) => [title, number(ms), number(cpuMs), number(idleMiB)]),
    ),
  );

export function report({
  results,
  compiled,
  connections,
  starts,
}: {
  readonly results: Results;
  /** What Postern's log says of each operation. */
  readonly compiled: ReadonlyMap<OperationName, string>;
  readonly connections: readonly ConnectionFigures[];
  readonly starts: readonly StartFigures[];
}): string {
  const sections = [...results].map(([name, of]) => figuresOf(name, of, compiled.get(name) ?? '–'));
  return [
    ...(results.size === 0 ? [] : [comparison(results), ...sections]),
    ...(connections.length === 0 ? [] : [connectionTable(connections)]),
    ...(starts.length === 0 ? [] : [startTable(starts)]),
  ].join('\n\n');
}
