/** Metrics in the text format of Prometheus. */
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { type MetricData, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ReportTrouble, Scrape } from '../telemetry.ts';

/** Collects whenever somebody asks. */
export class ScrapeReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** As Prometheus knows version 0.0.4 of its format. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** The endings of names that Prometheus's conventions ask for. The serializer leaves them to its callers. */
const unitEndings: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' };

/** Whoever asks while metrics are collected gets the same. */
export function scrapeWith(reader: MetricReader, report: ReportTrouble): () => Promise<Scrape> {
  const serializer = new PrometheusSerializer('', false, undefined, true, true);
  const collect = async (): Promise<Scrape> => {
    const { resourceMetrics, errors } = await reader.collect();
    // What was collected is served all the same.
    for (const err of errors) report({ err }, 'a metric could not be read');
    // The serializer says `# UNIT` too, which the text format does not have: it is a comment there.
    return { contentType, body: serializer.serialize(withUnitEndings(resourceMetrics)) };
  };
  // Each takes time of the event loop, however many ask at once.
  let collecting: Promise<Scrape> | null = null;
  return () => {
    collecting ??= collect().finally(() => {
      collecting = null;
    });
    return collecting;
  };
}

const withUnitEndings = (metrics: ResourceMetrics): ResourceMetrics => ({
  ...metrics,
  scopeMetrics: metrics.scopeMetrics.map((scope) => ({ ...scope, metrics: scope.metrics.map(withUnitEnding) })),
});

function withUnitEnding<Metric extends MetricData>(metric: Metric): Metric {
  const { descriptor } = metric;
  const ending = unitEndings[descriptor.unit] ?? '';
  return { ...metric, descriptor: { ...descriptor, name: descriptor.name + ending } };
}
