import { boundedNames, otherName } from '../telemetry/bounds.ts';
import type { Metrics, Span, Telemetry, Tracer } from '../telemetry/telemetry.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { withoutCredentials } from './request-head.ts';

/** Request of HTTP, or operation on a WebSocket. */
export type ObservedRequest = Pick<
  IncomingRequest,
  'id' | 'method' | 'path' | 'route' | 'headers' | 'httpVersion' | 'facts' | 'elapsedTime' | 'isFinished' | 'whenClosed'
> & {
  /** Undefined without a response of HTTP. */
  readonly sentStatus: number | undefined;
};

export type RequestObserver = (request: ObservedRequest) => Observation;

export interface Observation {
  within(work: () => void): void;
  /** Ends the response: counts it. @param tell within the span */
  end(tell: () => void): void;
}

/** Method that stands for operations on a WebSocket. */
export const socketMethod = 'WS';

/** Operation names with series of their own: clients can send any number. */
const operationNames = 100;

const methods: ReadonlySet<string> = new Set([
  'GET',
  'POST',
  'PATCH',
  'DELETE',
  'PUT',
  'HEAD',
  'OPTIONS',
  socketMethod,
]);

/** Null without metrics and traces. */
export function observeRequests({ metrics, tracer }: Pick<Telemetry, 'metrics' | 'tracer'>): RequestObserver | null {
  if (metrics === null && tracer === null) return null;
  const count = metrics === null ? () => undefined : countingIn(metrics);
  return (request) => {
    const span = tracer === null ? null : startSpan(tracer, request);
    const within: Observation['within'] = (work) => (span === null ? work() : span.within(work));
    return {
      within,
      end(tell) {
        count(request);
        within(tell);
        if (span !== null) endSpan(span, request);
      },
    };
  };
}

function countingIn(metrics: Metrics): (request: ObservedRequest) => void {
  const bounded = boundedNames(operationNames);
  // Without a key, strangers could use up the names.
  const nameOf = ({ operation, keyId }: IncomingRequest['facts']) => {
    if (operation === undefined) return 'anonymous';
    return keyId === undefined ? otherName : bounded(operation);
  };
  return (request) => {
    const { method, isFinished, sentStatus, elapsedTime, facts, route = 'none' } = request;
    const seconds = elapsedTime / 1_000;
    if (method !== socketMethod) {
      metrics.record('http.server.request.duration', seconds, {
        'http.request.method': methodOf(request),
        'http.route': route,
        'http.response.status_code': sentStatus ?? 'none',
      });
    }
    for (const type of facts.errors ?? []) metrics.count('postern.errors', { 'error.type': type });
    const { cache, operationType } = facts;
    if (cache !== undefined) metrics.count('postern.response_cache.lookups', { result: cache });
    if (operationType === undefined) return;
    metrics.record('postern.graphql.operation.duration', seconds, {
      'graphql.operation.name': nameOf(facts),
      'graphql.operation.type': operationType,
      outcome: outcomeOf(isFinished, facts.errors),
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

const methodOf = ({ method }: ObservedRequest): string => (methods.has(method) ? method : '_OTHER');

/** No query and no headers: either may contain a key or a cursor. */
const startSpan = (tracer: Tracer, request: ObservedRequest): Span =>
  tracer.start(methodOf(request), {
    kind: 'server',
    from: request.headers,
    attributes: {
      'http.request.method': methodOf(request),
      'url.path': withoutCredentials(request.path),
      'url.scheme': 'http',
      'network.protocol.version': request.httpVersion,
      'postern.request.id': request.id,
    },
  });

function endSpan(span: Span, request: ObservedRequest): void {
  const { isFinished, sentStatus, facts, route } = request;
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
    'postern.token.id': facts.tokenId,
    'postern.workspace.id': facts.workspaceId,
  });
  if (sentStatus !== undefined && sentStatus >= 500) span.fail(String(sentStatus));
  else if (!isFinished) span.fail('aborted');
  span.end();
}
