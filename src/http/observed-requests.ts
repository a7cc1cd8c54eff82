/** What telemetry learns of requests: a span around each, and what its log line says as metrics. */
import { boundedNames, otherName } from '../telemetry/bounded-names.ts';
import type { Metrics, Span, Telemetry, Tracer } from '../telemetry/telemetry.ts';
import type { IncomingRequest } from './incoming-request.ts';

export interface RequestObserver {
  /** Serves a request within its span. */
  serve(request: IncomingRequest, work: () => void): void;
  /** Goes on within the span of a request: the events of a body that is read come from outside of it. */
  resume(request: IncomingRequest, work: () => void): void;
  /** Counts a request that has ended. */
  count(request: IncomingRequest): void;
}

/** Names of operations that have series of their own. The names are the client's, who can send any number of them. */
const operationNames = 100;

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']);

/** @returns null if nobody wants to know */
export function observeRequests({ metrics, tracer }: Pick<Telemetry, 'metrics' | 'tracer'>): RequestObserver | null {
  if (metrics === null && tracer === null) return null;
  const spans = new WeakMap<IncomingRequest, Span>();
  return {
    serve(request, work) {
      if (tracer === null) return work();
      const span = startSpan(tracer, request);
      spans.set(request, span);
      request.whenClosed(() => endSpan(span, request));
      span.within(work);
    },
    resume(request, work) {
      const span = spans.get(request);
      if (span === undefined) work();
      else span.within(work);
    },
    count: metrics === null ? () => undefined : countingIn(metrics),
  };
}

function countingIn(metrics: Metrics): (request: IncomingRequest) => void {
  const bounded = boundedNames(operationNames);
  // Otherwise strangers could use up the names before clients with a key come.
  const nameOf = ({ operation, keyId }: IncomingRequest['facts']) => {
    if (operation === undefined) return 'anonymous';
    return keyId === undefined ? otherName : bounded(operation);
  };
  return (request) => {
    const { response, sentStatus, elapsedTime, facts, route = 'none' } = request;
    const seconds = elapsedTime / 1_000;
    metrics.record('http.server.request.duration', seconds, {
      'http.request.method': methodOf(request),
      'http.route': route,
      'http.response.status_code': sentStatus ?? 'none',
    });
    for (const type of facts.errors ?? []) metrics.count('postern.errors', { 'error.type': type });
    const { cache, operationType } = facts;
    if (cache !== undefined) metrics.count('postern.response_cache.lookups', { result: cache });
    if (operationType === undefined) return;
    metrics.record('postern.graphql.operation.duration', seconds, {
      'graphql.operation.name': nameOf(facts),
      'graphql.operation.type': operationType,
      outcome: outcomeOf(response.writableFinished, facts.errors),
      compiled: facts.compiled === 'yes' ? 'yes' : 'no',
    });
    const { cost } = facts;
    if (cost !== undefined) {
      metrics.record('postern.graphql.operation.cost', cost, { 'graphql.operation.type': operationType });
    }
  };
}

const outcomeOf = (isFinished: boolean, errors: readonly string[] | undefined) => {
  if (!isFinished) return 'aborted';
  return errors === undefined ? 'ok' : 'errors';
};

const methodOf = ({ method }: IncomingRequest): string => (methods.has(method) ? method : '_OTHER');

/** No query and no header: either may contain a key or a cursor. */
const startSpan = (tracer: Tracer, request: IncomingRequest): Span =>
  tracer.start(methodOf(request), {
    kind: 'server',
    from: request.headers,
    attributes: {
      'http.request.method': methodOf(request),
      'url.path': request.path,
      'url.scheme': 'http',
      'network.protocol.version': request.raw.httpVersion,
      'postern.request.id': request.id,
    },
  });

function endSpan(span: Span, request: IncomingRequest): void {
  const { response, sentStatus, facts, route } = request;
  if (route !== undefined) span.rename(`${methodOf(request)} ${route}`);
  span.set({
    'http.route': route,
    'http.response.status_code': sentStatus,
    'graphql.operation.name': facts.operation,
    'graphql.operation.type': facts.operationType,
    'postern.operation.hash': facts.operationHash,
    'postern.compiled': facts.compiled,
    'postern.response_cache': facts.cache,
    'postern.errors': facts.errors?.join(' '),
    'postern.key.id': facts.keyId,
    'postern.workspace.id': facts.workspaceId,
  });
  if (sentStatus !== undefined && sentStatus >= 500) span.fail(String(sentStatus));
  else if (!response.writableFinished) span.fail('aborted');
  span.end();
}
