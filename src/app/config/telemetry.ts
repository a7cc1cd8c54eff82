import type { ProxySettings } from '../../net/proxies.ts';
import type { TelemetrySettings } from '../../telemetry/telemetry.ts';
import type { Variables } from './environment.ts';
import { withoutLastSlashes } from './values.ts';

/** Beside GraphQL only for a port alone: an address that is named may be one that fewer can reach. */
const metricsAddress = ({ host, port }: NonNullable<Variables['METRICS_PORT']>, mainPort: number) => ({
  host: host ?? '127.0.0.1',
  port,
  onMainPort: host === undefined && port === mainPort && port !== 0,
});

/** @param proxies on the way to the collector */
export function telemetrySettings(values: Variables, proxies: ProxySettings): TelemetrySettings {
  const send = !values.OTEL_SDK_DISABLED;
  const common = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const urlFor = (path: string) => (common === undefined ? null : `${withoutLastSlashes(common)}/v1/${path}`);
  const traces = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? urlFor('traces');
  const metrics = values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? urlFor('metrics');
  const prometheus = values.METRICS_PORT;
  return {
    serviceName: values.OTEL_SERVICE_NAME,
    tracesUrl: send && values.OTEL_TRACES_EXPORTER === 'otlp' ? traces : null,
    metricsUrl: send && values.OTEL_METRICS_EXPORTER === 'otlp' ? metrics : null,
    proxies,
    metricsIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL,
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    prometheus: prometheus ? metricsAddress(prometheus, values.PORT) : null,
  };
}
