/** One set of instruments for OTLP and Prometheus. Nothing is global: a process can have several. */

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import {
  type Attributes,
  type Counter,
  DiagLogLevel,
  diag,
  type Histogram,
  type Meter,
  type Observable,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  MeterProvider,
  type MetricData,
  MetricReader,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { buildVersion } from '../../kernel/build-version.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { within } from '../../kernel/lib/abort-signal.ts';
import { once } from '../../kernel/lib/once.ts';
import { type ProxySettings, proxyFor } from '../../net/proxies.ts';
import { boundedLines } from '../bounds.ts';
import { allSeries, type CounterName, type GaugeName, type HistogramName } from '../series.ts';
import {
  type Metrics,
  metricsType,
  type ReportTrouble,
  type Scrape,
  type Telemetry,
  type TelemetrySettings,
} from '../telemetry.ts';
import { createTracer } from './tracer.ts';

const scope = 'postern';

/** A collector that is away fails every batch. */
const reportsPerMinute = 10;

/** Milliseconds for the last export at a stop. */
const lastExportMs = 3_000;

/** @throws ConfigError for a value that the SDK does not accept */
export function startOpenTelemetry(settings: TelemetrySettings, report: ReportTrouble): Telemetry {
  const { resource, tracing, scraping, exporting } = refusingWarnings(() => openExporters(settings));
  logTroubles(report);
  const readers = [scraping, exporting].filter((reader) => reader !== null);
  const meters = readers.length === 0 ? null : new MeterProvider({ resource, readers });
  const metrics = meters === null ? null : createMetrics(meters.getMeter(scope, buildVersion));
  const figures = metrics === null ? null : observeProcess(metrics);
  return {
    metrics,
    tracer: tracing === null ? null : createTracer(tracing.getTracer(scope, buildVersion)),
    scrape: scraping === null ? null : scrapeWith(scraping, report),
    close: once(async () => {
      figures?.stop();
      const closed = Promise.all([tracing?.shutdown(), meters?.shutdown({ timeoutMillis: lastExportMs })]);
      await within(lastExportMs, closed, 'The collector took too long').catch((error: unknown) => {
        report({ err: error }, 'the last telemetry could not be sent');
      });
    }),
  };
}

function openExporters({
  serviceName,
  tracesUrl,
  metricsUrl,
  metricsIntervalMs,
  proxies,
  prometheus,
  ...sampling
}: TelemetrySettings) {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': serviceName, 'service.version': buildVersion }))
    // OTEL_RESOURCE_ATTRIBUTES may name the service as well.
    .merge(detectResources({ detectors: [envDetector] }));
  return {
    resource,
    tracing:
      tracesUrl === null
        ? null
        : new TracerProvider({
            resource,
            sampler: samplerOf(sampling),
            spanProcessors: [
              new BatchSpanProcessor({ exporter: new OTLPTraceExporter(addressed(tracesUrl, proxies)) }),
            ],
          }),
    scraping: prometheus === null ? null : new ScrapeReader(),
    exporting:
      metricsUrl === null
        ? null
        : new PeriodicExportingMetricReader({
            exporter: new OTLPMetricExporter(addressed(metricsUrl, proxies)),
            exportIntervalMillis: metricsIntervalMs,
            exportTimeoutMillis: Math.min(metricsIntervalMs, 30_000),
          }),
  };
}

/** The exporters use agents of Node.js, which can send through a proxy. */
function addressed(url: string, proxies: ProxySettings | undefined) {
  const proxy = proxies === undefined ? undefined : proxyFor(proxies, url)?.href;
  if (proxy === undefined) return { url };
  return { url, httpAgentOptions: { keepAlive: true, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } } };
}

/** The SDK reads variables of its own, and goes on without those that it cannot use: telemetry that goes nowhere, say. */
function refusingWarnings<Result>(open: () => Result): Result {
  const warnings: string[] = [];
  listen((message) => warnings.push(message));
  const result = open();
  if (warnings.length > 0) throw new ConfigError(`OpenTelemetry cannot use a variable: ${warnings.join('; ')}`);
  return result;
}

/** The SDK reports troubles, such as an unreachable collector, to one place of the process. */
function logTroubles(report: ReportTrouble): void {
  const mayReport = boundedLines(reportsPerMinute, Date.now);
  listen((message) => {
    const fields = mayReport();
    if (fields !== null) report({ detail: message.slice(0, 500), ...fields }, 'telemetry could not be sent');
  });
}

function listen(say: (message: string) => void): void {
  const ignore = () => undefined;
  diag.setLogger(
    { error: say, warn: say, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** By the names of `OTEL_TRACES_SAMPLER`, which the parts of the SDK in use do not read. */

function samplerOf({ sampler, samplerRatio }: Pick<TelemetrySettings, 'sampler' | 'samplerRatio'>): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(samplerRatio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerRatio) });
    default:
      return sampler satisfies never;
  }
}

/** OpenTelemetry's instruments, by the table of series. */
function createMetrics(meter: Meter): Metrics {
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Map<string, Observable>();
  for (const [name, { kind, unit, help, labels, buckets }] of allSeries) {
    const options = { unit, description: help };
    if (kind === 'counter') {
      const counter = meter.createCounter(name, options);
      // Makes the first count an increase.
      if (labels.length === 0) counter.add(0);
      counters.set(name, counter);
    } else if (kind === 'gauge') gauges.set(name, meter.createObservableGauge(name, options));
    else if (kind === 'total') gauges.set(name, meter.createObservableCounter(name, options));
    else histograms.set(name, meter.createHistogram(name, { ...options, ...adviceOf(buckets) }));
  }
  return {
    count: (name: CounterName, labels: Attributes, by = 1) => counters.get(name)?.add(by, labels),
    record: (name: HistogramName, value, labels: Attributes) => histograms.get(name)?.record(value, labels),
    observe(name: GaugeName, read: () => Readings | Promise<Readings>) {
      gauges.get(name)?.addCallback(async (result) => {
        for (const [value, labels] of await read()) result.observe(value, labels);
      });
    },
  };
}

type Readings = readonly (readonly [value: number, labels: Attributes])[];

const adviceOf = (buckets: readonly number[] | undefined) =>
  buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } };

const resolutionMs = 10;
const nanoseconds = 1e9;
const microseconds = 1e6;

function observeProcess(metrics: Metrics): { stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // The histogram counts its timer's interval, too.
  const seconds = (value: number) => Math.max(0, value / nanoseconds - resolutionMs / 1_000);
  metrics.observe('postern.build.info', () => [[1, { version: buildVersion, node: process.version }]]);
  metrics.observe('nodejs.eventloop.delay.p99', () => {
    // Nothing was measured since the last collection.
    return delay.count === 0 ? [] : [[seconds(delay.percentile(99)), {}]];
  });
  metrics.observe('nodejs.eventloop.delay.max', () => {
    const max = delay.count === 0 ? [] : [[seconds(delay.max), {}] as const];
    // The last reader: they run in the order of registration.
    delay.reset();
    return max;
  });
  metrics.observe('nodejs.eventloop.utilization', () => [[performance.eventLoopUtilization().utilization, {}]]);
  metrics.observe('process.cpu.time', () => {
    const { user, system } = process.cpuUsage();
    return [
      [user / microseconds, { 'cpu.mode': 'user' }],
      [system / microseconds, { 'cpu.mode': 'system' }],
    ];
  });
  metrics.observe('process.memory.usage', () => [[process.memoryUsage.rss(), {}]]);
  return { stop: () => delay.disable() };
}

class ScrapeReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Endings that Prometheus's conventions ask for; the serializer leaves them to callers. */
const unitEndings: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' };

/** Requests during a collection share it. */
function scrapeWith(reader: MetricReader, report: ReportTrouble): () => Promise<Scrape> {
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
