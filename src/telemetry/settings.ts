export interface TelemetrySettings {
  readonly serviceName: string;
  /** OTLP over HTTP; null for none. */
  readonly tracesUrl: string | null;
  /** OTLP over HTTP; null for none. */
  readonly metricsUrl: string | null;
  readonly metricsIntervalMs: number;
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
export type TraceSampler = (typeof traceSamplers)[number];
