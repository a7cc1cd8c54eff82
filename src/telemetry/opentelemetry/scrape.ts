import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { type MetricData, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { metricsType, type ReportTrouble, type Scrape } from '../telemetry.ts';

export class ScrapeReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Endings that Prometheus's conventions ask for; the serializer leaves them to callers. */
const unitEndings: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' };

/** Requests during a collection share it. */
export function scrapeWith(reader: MetricReader, report: ReportTrouble): () => Promise<Scrape> {
  const serializer = new PrometheusSerializer('', false, undefined, true, true);
  const collect = async (): Promise<Scrape> => {
    const { resourceMetrics, errors } = await reader.collect();
    // The collected rest is served all the same.
    for (const err of errors) report({ err }, 'a metric could not be read');
    // Its `# UNIT` is a comment in the text format.
    return { contentType: metricsType, body: serializer.serialize(withUnitEndings(resourceMetrics)) };
  };
  // One at a time: each takes time of the event loop.
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
