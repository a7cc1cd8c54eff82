/** The gateway's view of telemetry. Parts that are off are null: `metrics?.count(…)` does not even make labels. */
import type { ProxySettings } from '../net/proxies.ts';
import type { CounterName, GaugeName, HistogramName, LabelsOf } from './series.ts';

export interface Telemetry {
  readonly metrics: Metrics | null;
  readonly tracer: Tracer | null;
  readonly scrape: (() => Promise<Scrape>) | null;
  /** Sends the rest first. */
  close(): Promise<void>;
}

/** Media type of Prometheus's text format. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export interface Scrape {
  readonly contentType: string;
  readonly body: string;
}

/** One for each combination of labels. */
type Observations<Name extends GaugeName> = readonly (readonly [value: number, labels: LabelsOf<Name>])[];

export interface Metrics {
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  record<Name extends HistogramName>(name: Name, value: number, labels: LabelsOf<Name>): void;
  observe<Name extends GaugeName>(name: Name, read: () => Observations<Name> | Promise<Observations<Name>>): void;
}

/** Undefined ones are left out. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: Attributes;
  /** With `traceparent` and `tracestate`; the current span by default. */
  readonly from?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** @param errorType a word of a closed vocabulary, never a message: it may repeat secrets */
  fail(errorType: string): void;
  /** Spans that begin in the work are below this one. */
  within<Result>(work: () => Result): Result;
  end(): void;
}

export interface Tracer {
  start(name: string, options?: SpanOptions): Span;
  /** A span that has ended; only below another. */
  past(name: string, milliseconds: number, options: SpanOptions & { readonly failed?: string | undefined }): void;
  /** Continue the trace elsewhere; none outside of a span. */
  headers(): Readonly<Record<string, string>>;
  readonly traceId: string | undefined;
}

export type ReportTrouble = (fields: object, message: string) => void;

export const noTelemetry: Telemetry = { metrics: null, tracer: null, scrape: null, close: async () => undefined };

/** Without a tracer it just runs. @param errorTypeOf the word for a failure */
export async function inSpan<Result>(
  tracer: Tracer | null,
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<Result>,
): Promise<Result> {
  if (tracer === null) return work(null);
  const span = tracer.start(name, options);
  try {
    return await span.within(() => work(span));
  } catch (error) {
    span.fail(errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** A failure's type in the contract, or the name of its class. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}

export interface TelemetrySettings {
  readonly serviceName: string;
  /** OTLP over HTTP; null for none. */
  readonly tracesUrl: string | null;
  /** OTLP over HTTP; null for none. */
  readonly metricsUrl: string | null;
  readonly metricsIntervalMs: number;
  /** On the way to the collector. */
  readonly proxies?: ProxySettings | undefined;
  readonly sampler: TraceSampler;
  readonly samplerRatio: number;
  readonly prometheus: { readonly host: string; readonly port: number; readonly onMainPort: boolean } | null;
}

export const traceSamplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
type TraceSampler = (typeof traceSamplers)[number];
