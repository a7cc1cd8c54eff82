/** The metrics, by their names in Prometheus. */
import { allSeries } from '../../../src/telemetry/series.ts';
import { code, codes, row, table } from './markdown.ts';

const inPrometheus = (name: string): string => name.replaceAll('.', '_');
const units: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' };

const rows = allSeries.map(([name, { kind, unit, help, labels }]) => {
  const isCounter = kind === 'counter' || kind === 'total';
  const metric = `${inPrometheus(name)}${units[unit] ?? ''}${isCounter ? '_total' : ''}`;
  return row(code(metric), isCounter ? 'counter' : kind, codes(labels.map(inPrometheus)), help);
});

export const metricTables: Readonly<Record<string, string>> = {
  metrics: table(['Metric', 'Kind', 'Labels', 'What it says'], rows),
};
