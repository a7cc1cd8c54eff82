/**
 * What the rest of the gateway knows of telemetry. Both parts are null unless they are configured, so that what is off costs
 * one comparison: `metrics?.count(…)` does not even make the labels. The implementation is in opentelemetry/, which is
 * loaded only where it is used (open.ts).
 */
import type { CounterName, GaugeName, HistogramName, LabelsOf } from './series.ts';

export interface Telemetry {
  readonly metrics: Metrics | null;
  readonly tracer: Tracer | null;
  /** The metrics as Prometheus reads them; null unless they are served. */
  readonly scrape: (() => Promise<Scrape>) | null;
  /** Sends what is left, and stops. */
  close(): Promise<void>;
}

export interface Scrape {
  readonly contentType: string;
  readonly body: string;
}

/** Values of a gauge, one for each combination of its labels. */
export type Observations<Name extends GaugeName> = readonly (readonly [value: number, labels: LabelsOf<Name>])[];

export interface Metrics {
  /** Adds to a counter. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Adds a value to a histogram, in its unit. */
  record<Name extends HistogramName>(name: Name, value: number, labels: LabelsOf<Name>): void;
  /** Reads a gauge whenever metrics are collected. */
  observe<Name extends GaugeName>(name: Name, read: () => Observations<Name> | Promise<Observations<Name>>): void;
}

/** Attributes of a span. What is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: Attributes;
  /** The headers `traceparent` and `tracestate` of where the trace comes from; by default it is the current span. */
  readonly from?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Says that the work failed. @param errorType a word of a closed vocabulary, never a message: it may repeat secrets */
  fail(errorType: string): void;
  /** Runs work within the span: spans that begin there are below it. */
  within<Result>(work: () => Result): Result;
  end(): void;
}

export interface Tracer {
  start(name: string, options?: SpanOptions): Span;
  /** A span that has ended by now; only below another. @param milliseconds how long it took */
  past(name: string, milliseconds: number, options: SpanOptions & { readonly failed?: string | undefined }): void;
  /** The headers that continue the trace elsewhere; none outside of a span. */
  headers(): Readonly<Record<string, string>>;
  /** Of the current span. */
  readonly traceId: string | undefined;
}

/** Takes what goes wrong while telemetry is read or sent, to be logged. */
export type ReportTrouble = (fields: object, message: string) => void;

export const noTelemetry: Telemetry = { metrics: null, tracer: null, scrape: null, close: async () => undefined };

/** Runs work in a span of its own. Without a tracer it just runs. @param errorTypeOf the word for a failure */
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

/** What a failure is called: its type in the contract, or the name of its class. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}
