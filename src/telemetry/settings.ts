/** What telemetry is configured with. */
export interface TelemetrySettings {
  readonly serviceName: string;
  /** Where traces go, by OTLP over HTTP; null for none. */
  readonly tracesUrl: string | null;
  /** Where metrics go, by OTLP over HTTP; null for nowhere. */
  readonly metricsUrl: string | null;
  readonly metricsIntervalMs: number;
  readonly sampler: TraceSampler;
  /** The share of traces that the samplers by ratio take. */
  readonly samplerRatio: number;
  /** Where Prometheus reads metrics; null for nowhere. */
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
export type TraceSampler = (typeof traceSamplers)[number];
