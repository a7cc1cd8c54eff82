/** Telemetry of calls to the upstream: a span and a duration per attempt. The service gets the trace. */
import { templateOf } from '../kernel/endpoint.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { HttpExchange } from './exchange.ts';
import type { CallFailure } from './failure.ts';
import type { Success } from './response.ts';

/** @param origin scheme, host and port of the service. @returns `send` itself without metrics and traces */
export function observedSend(
  send: HttpExchange['send'],
  origin: string,
  { metrics, tracer }: Pick<Telemetry, 'metrics' | 'tracer'>,
): HttpExchange['send'] {
  if (metrics === null && tracer === null) return send;
  const { hostname, port, protocol } = new URL(origin);
  const server = { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) };
  return async (call, signal) => {
    const { method } = call.endpoint;
    const template = templateOf(call.endpoint);
    const labels = { 'http.request.method': method, 'url.template': template };
    const span = tracer?.start(`${method} ${template}`, { kind: 'client', attributes: { ...labels, ...server } });
    const began = performance.now();
    const result = await (span === undefined || tracer === null
      ? send(call, signal)
      : span.within(() => send({ ...call, headers: { ...call.headers, ...tracer.headers() } }, signal)));
    const status = result.kind === 'success' ? call.endpoint.status : (result.status ?? undefined);
    const end = {
      ...(status === undefined ? {} : { 'http.response.status_code': status }),
      ...(result.kind === 'success' ? {} : { 'error.type': errorOf(result) }),
    };
    metrics?.record('http.client.request.duration', (performance.now() - began) / 1_000, { ...labels, ...end });
    span?.set(end);
    if (result.kind !== 'success') span?.fail(errorOf(result));
    span?.end();
    return result;
  };
}

/** By the semantic conventions: the status, or what kept one from arriving. */
const errorOf = ({ kind, status }: Exclude<CallFailure | Success, Success>): string =>
  kind === 'response' && status !== null ? String(status) : kind;
