/** The current span follows promises and timers in an AsyncLocalStorage, only where there is a tracer. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Span as OpenTelemetrySpan,
  type Tracer as OpenTelemetryTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Span, SpanOptions, Tracer } from '../telemetry.ts';

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

export function createTracer(tracer: OpenTelemetryTracer): Tracer {
  const current = new AsyncLocalStorage<Context>();
  const propagator = new W3CTraceContextPropagator();

  function begin(name: string, { kind = 'internal', attributes, from }: SpanOptions, startTime?: number) {
    const parent =
      from === undefined
        ? (current.getStore() ?? ROOT_CONTEXT)
        : propagator.extract(ROOT_CONTEXT, from, defaultTextMapGetter);
    const options = {
      kind: kinds[kind],
      ...(attributes === undefined ? {} : { attributes }),
      ...(startTime === undefined ? {} : { startTime }),
    };
    return { parent, span: tracer.startSpan(name, options, parent) };
  }

  return {
    start(name, options = {}) {
      const above = options.from === undefined ? current.getStore() : undefined;
      // Nothing below an unrecorded span is recorded, whatever samples: it need not be made.
      const known = above && trace.getSpan(above);
      if (known !== undefined && !known.isRecording()) return unrecorded(known, (work) => work());
      const { parent, span } = begin(name, options);
      const within: Span['within'] = (work) => current.run(trace.setSpan(parent, span), work);
      return span.isRecording() ? recorded(span, within) : unrecorded(span, within);
    },
    past(name, milliseconds, { failed, ...options }) {
      const above = current.getStore();
      if (above === undefined || !trace.getSpan(above)?.isRecording()) return;
      const { span } = begin(name, options, Date.now() - milliseconds);
      if (failed !== undefined) fail(span, failed);
      span.end();
    },
    headers() {
      const headers: Record<string, string> = {};
      const context = current.getStore();
      if (context !== undefined) propagator.inject(context, headers, defaultTextMapSetter);
      return headers;
    },
    get traceId() {
      const context = current.getStore();
      return context && trace.getSpanContext(context)?.traceId;
    },
  };
}

const recorded = (span: OpenTelemetrySpan, within: Span['within']): Span => ({
  traceId: span.spanContext().traceId,
  rename(name) {
    span.updateName(name);
  },
  set(attributes) {
    for (const name in attributes) {
      const value = attributes[name];
      if (value !== undefined) span.setAttribute(name, value);
    }
  },
  fail: (errorType) => fail(span, errorType),
  within,
  end: () => span.end(),
});

const doNothing = () => undefined;

/** Only carries its trace on. */
const unrecorded = (span: OpenTelemetrySpan, within: Span['within']): Span => ({
  traceId: span.spanContext().traceId,
  rename: doNothing,
  set: doNothing,
  fail: doNothing,
  within,
  end: doNothing,
});

function fail(span: OpenTelemetrySpan, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
