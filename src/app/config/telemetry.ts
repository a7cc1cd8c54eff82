/** The variables of OpenTelemetry that the gateway reads, and Prometheus's address. The SDK reads the others. */
import type { ProxySettings } from '../../net/proxies.ts';
import { type TelemetrySettings, traceSamplers } from '../../telemetry/telemetry.ts';
import { oneOf, wholeNumber, withoutLastSlashes } from './values.ts';
import { optionalVariable, variable } from './variable.ts';

const otlpEndpoint = (value: string): string => {
  if (/^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
  throw new Error('must be the URL of an OTLP receiver, such as http://127.0.0.1:4318');
};

const exporter = (help: string) => variable(help, 'otlp', oneOf(['otlp', 'none']));

export const telemetryVariables = {
  OTEL_SDK_DISABLED: variable(
    '`true` sends no telemetry by OTLP, whatever the other variables say.',
    'false',
    (value) => oneOf(['true', 'false'])(value.toLowerCase()) === 'true',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalVariable(
    'URL of an OpenTelemetry collector that takes OTLP over HTTP: `http://127.0.0.1:4318`. Traces and metrics go to `/v1/traces` and `/v1/metrics` below it. If unset, nothing is sent.',
    otlpEndpoint,
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optionalVariable('The whole URL for traces, if they go elsewhere.', otlpEndpoint),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: optionalVariable(
    'The whole URL for metrics, if they go elsewhere.',
    otlpEndpoint,
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable(
    'The protocol of the collector. There is no other.',
    'http/protobuf',
    oneOf(['http/protobuf']),
  ),
  OTEL_SERVICE_NAME: variable('Name of the gateway in traces and metrics.', 'postern', (value) => value),
  OTEL_TRACES_EXPORTER: exporter('`none` sends no traces.'),
  OTEL_METRICS_EXPORTER: exporter('`none` sends no metrics.'),
  OTEL_TRACES_SAMPLER: variable(
    `Which traces are recorded: ${traceSamplers.map((name) => `\`${name}\``).join(', ')}. With \`parentbased\` the caller's \`traceparent\` decides, if there is one.`,
    'parentbased_always_on',
    oneOf(traceSamplers),
  ),
  OTEL_TRACES_SAMPLER_ARG: variable('Share of traces that a ratio sampler records, from 0 to 1.', '1', (value) => {
    const share = Number(value);
    if (value.trim() !== '' && share >= 0 && share <= 1) return share;
    throw new Error(`must be a number from 0 to 1, but is "${value}"`);
  }),
  OTEL_METRIC_EXPORT_INTERVAL: variable(
    'How often metrics are sent, in milliseconds.',
    '60000',
    wholeNumber(100, 3_600_000),
  ),
  METRICS_PORT: optionalVariable(
    'Serves metrics for Prometheus at `/metrics` on this port. `0` picks a free port. The value of `PORT` serves them beside GraphQL, to everybody who can reach the gateway. If unset, they are not served.',
    wholeNumber(0, 65_535),
  ),
  METRICS_HOST: variable(
    'The address that metrics are served on, if their port is not `PORT`.',
    '127.0.0.1',
    (value) => value,
  ),
} as const;

type TelemetryValues = {
  readonly [Name in keyof typeof telemetryVariables]: ReturnType<(typeof telemetryVariables)[Name]['read']>;
};

/** @param port of the gateway itself. @param proxies on the way to the collector */
export function telemetrySettings(values: TelemetryValues, port: number, proxies: ProxySettings): TelemetrySettings {
  const send = !values.OTEL_SDK_DISABLED;
  const common = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const urlFor = (path: string) => (common === undefined ? null : `${withoutLastSlashes(common)}/v1/${path}`);
  const traces = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? urlFor('traces');
  const metrics = values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? urlFor('metrics');
  const { METRICS_PORT, METRICS_HOST } = values;
  return {
    serviceName: values.OTEL_SERVICE_NAME,
    tracesUrl: send && values.OTEL_TRACES_EXPORTER === 'otlp' ? traces : null,
    metricsUrl: send && values.OTEL_METRICS_EXPORTER === 'otlp' ? metrics : null,
    proxies,
    metricsIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL,
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    prometheus:
      METRICS_PORT === undefined
        ? null
        : { host: METRICS_HOST, port: METRICS_PORT, onMainPort: METRICS_PORT === port && port !== 0 },
  };
}
