/**
 * The way to the upstream service: the contract's endpoints over HTTP. Each call passes, from the outside in: the
 * operation's allowance → equal reads joined → retries → the circuit breaker → one exchange.
 */
import type { Logger } from 'pino';
import { forwardedKey } from '../auth/forwarded-key.ts';
import { deadline } from '../deadline.ts';
import { ServiceError } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { openPool } from '../security/outbound.ts';
import { allowances } from './call-budget.ts';
import { type Breaker, breaker } from './circuit-breaker.ts';
import type { Capability, Endpoint, EndpointRequest } from './endpoint.ts';
import { expiry, type Failure, transportFailure } from './failure.ts';
import { readAnswer, unreadable } from './response.ts';
import { retries } from './retry-budget.ts';
import { flights } from './single-flight.ts';
import { type NameTable, namesFrom, type Vocabularies } from './translation.ts';

// All that a capability needs to know of this folder.
export type { Endpoint, EndpointRequest } from './endpoint.ts';
export { pageOf } from './page.ts';
export { notServed } from './unsupported.ts';

/** Where the upstream is and how it is to be asked. */
export interface UpstreamSettings {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What stands before `/v1` in each path: empty, or `/api`. */
  readonly basePath: string;
  /** The key that every call is made with; undefined: each caller's own. */
  readonly apiKey: string | undefined;
  readonly names: NameTable;
  /** Sent with each call, beside the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long one call may last, its retries included. */
  readonly timeoutMs: number;
  /** How long all calls of one operation may last together. */
  readonly budgetMs: number;
  /** How many calls one operation may make. */
  readonly maxCalls: number;
  readonly connections: number;
  /** Bytes of an answer. */
  readonly maxBytes: number;
}

export interface UpstreamSurroundings {
  readonly logger: Logger;
  readonly now: () => Date;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed?: () => number;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

export interface Upstream {
  /** Whether callers' own keys are sent on: the upstream then says what they may do. */
  readonly forwardsKeys: boolean;
  /**
   * Calls an endpoint. The answer is an object of one of the endpoint's kinds, in the contract's words; more is not
   * checked, and it may be shared with other callers: nobody changes it.
   * @throws ServiceError for every failure
   */
  call<Answer>(call: RequestContext, endpoint: Endpoint, request: EndpointRequest): Promise<Answer>;
  /** Rejects while the service cannot be reached. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Longest wait for a connection, and for the answer to the question whether anybody is there. */
const connectMs = 5_000;

/** Connections that are made before the gateway first says that it is ready, so that the first requests find them. */
const warmConnections = 4;

/** Calls that may wait for a connection, for each connection: beyond that they would only wait to time out. */
const waitingPerConnection = 32;

interface Prepared {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly requestId: string;
  /** Whether it can be made again whatever became of it: it changes nothing, or is known again by its key. */
  readonly repeatable: boolean;
}

/** @throws Error that says what is wrong with `names` */
export function createUpstream(
  settings: UpstreamSettings,
  vocabularies: Vocabularies,
  { logger, now, elapsed = () => performance.now(), random = Math.random }: UpstreamSurroundings,
): Upstream {
  const { timeoutMs, connections } = settings;
  const namesOf = namesFrom(settings.names, vocabularies);
  const pool = openPool(settings.origin, { connections, maxBytes: settings.maxBytes, connectTimeoutMs: connectMs });
  const allowance = allowances({ calls: settings.maxCalls, milliseconds: settings.budgetMs }, elapsed);
  const retry = retries(random);
  const shared = flights(timeoutMs / 2, elapsed);
  const breakers: Record<Capability, Breaker> = {
    jobs: breaker(() => now().getTime()),
    posts: breaker(() => now().getTime()),
    webhooks: breaker(() => now().getTime()),
  };
  let underWay = 0;
  let warm = false;

  /**
   * Rejects unless somebody is there. Any answer will do: it is asked without a key, for what nobody has. Not HEAD, after
   * which the connection would be closed.
   */
  async function knock(signal: AbortSignal): Promise<void> {
    const { headers, basePath } = settings;
    const { statusCode, body } = await pool.request({ method: 'GET', path: `${basePath}/`, headers, signal });
    await body.dump();
    if (statusCode >= 500) throw new Error(`The upstream service answered ${statusCode}`);
  }

  function prepare(
    { caller, requestId, idempotencyKey }: RequestContext,
    endpoint: Endpoint,
    request: EndpointRequest,
  ): Prepared {
    const names = namesOf(endpoint);
    const path = names.path(request);
    if (path === undefined) throw new ServiceError(endpoint.malformedId, { detail: 'The id is malformed.' });
    const body = request.body === undefined ? null : JSON.stringify(names.write(request.body));
    return {
      endpoint,
      path: `${settings.basePath}${path}${queryOf(request)}`,
      headers: {
        ...settings.headers,
        accept: 'application/json',
        'x-api-key': settings.apiKey ?? forwardedKey(caller),
        'x-request-id': requestId,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body,
      requestId,
      repeatable: endpoint.method === 'GET' || idempotencyKey !== undefined,
    };
  }

  /** Makes the call, and again where that is safe and may help. */
  async function perform(prepared: Prepared, parent: AbortSignal, milliseconds: number): Promise<unknown> {
    const until = elapsed() + milliseconds;
    using limit = deadline(milliseconds, parent);
    const { repeatable } = prepared;
    retry.called();
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await exchangeGuarded(prepared, limit.signal);
      if (!('kind' in outcome)) return outcome.value;
      const wait = retry.waitBefore(outcome, { attempt, repeatable, remainingMs: until - elapsed() });
      note(prepared, outcome, attempt, wait);
      if (wait === null) throw outcome.error;
      await pause(wait, limit.signal, repeatable);
    }
  }

  async function exchangeGuarded(prepared: Prepared, signal: AbortSignal): Promise<{ value: unknown } | Failure> {
    const passage = breakers[prepared.endpoint.capability].enter();
    if ('closedForMs' in passage || underWay >= connections * (1 + waitingPerConnection)) {
      if ('left' in passage) passage.left('unknown');
      throw new ServiceError('service_unavailable', {
        detail: 'The upstream service is in trouble or has too much to do. Try again shortly.',
      });
    }
    underWay += 1;
    let how: 'well' | 'badly' | 'unknown' = 'unknown';
    try {
      const outcome = await exchange(prepared, signal);
      how =
        'kind' in outcome ? (isTrouble(outcome) ? 'badly' : outcome.kind === 'expired' ? 'unknown' : 'well') : 'well';
      return outcome;
    } finally {
      underWay -= 1;
      passage.left(how);
    }
  }

  async function exchange(
    { endpoint, path, headers, body, repeatable }: Prepared,
    signal: AbortSignal,
  ): Promise<{ value: unknown } | Failure> {
    let status: number | null = null;
    try {
      const response = await pool.request({ method: endpoint.method, path, headers, body, signal });
      status = response.statusCode;
      const text = await response.body.text();
      const { 'retry-after': retryAfter, ratelimit } = response.headers;
      const limited = status === 503 && typeof ratelimit === 'string' && /;\s*r=0\b/.test(ratelimit);
      const raw = { status, text, limited, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined };
      const outcome = readAnswer(endpoint, namesOf(endpoint), raw, now());
      return 'kind' in outcome && settings.apiKey !== undefined ? blamingUs(outcome) : outcome;
    } catch (cause) {
      if (signal.aborted) return expiry(signal.reason, { repeatable });
      const { code, name } = cause as NodeJS.ErrnoException;
      if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
        return unreadable(status ?? 500, `has more than ${settings.maxBytes} bytes`, now());
      }
      if (name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW')
        return unreadable(status ?? 500, 'is no HTTP', now());
      return transportFailure(cause, { repeatable });
    }
  }

  /** One line for each failure: ours and theirs of the request's ids, and neither key nor query. */
  function note({ endpoint, requestId }: Prepared, failure: Failure, attempt: number, retryInMs: number | null): void {
    const { error, status, instance } = failure;
    logger[isTrouble(failure) ? 'warn' : 'info'](
      {
        reqId: requestId,
        upstream: { method: endpoint.method, path: endpoint.path, status, type: error.type, instance, attempt },
        ...(retryInMs === null ? {} : { retryInMs: Math.round(retryInMs) }),
        ...(failure.kind === 'answered' ? {} : { err: error.cause }),
      },
      'upstream failure',
    );
  }

  return {
    forwardsKeys: settings.apiKey === undefined,
    async call<Answer>(call: RequestContext, endpoint: Endpoint, request: EndpointRequest) {
      const milliseconds = Math.min(timeoutMs, allowance.take(call.signal));
      const prepared = prepare(call, endpoint, request);
      const owner = call.caller.keyId;
      if (endpoint.method !== 'GET') {
        shared.close(owner);
        try {
          return (await perform(prepared, call.signal, milliseconds)) as Answer;
        } finally {
          shared.close(owner);
        }
      }
      using limit = deadline(milliseconds, call.signal);
      try {
        return (await shared.join(
          owner,
          prepared.path,
          (signal) => perform(prepared, signal, timeoutMs),
          limit.signal,
        )) as Answer;
      } catch (error) {
        throw error === limit.signal.reason ? expiry(error, { repeatable: true }).error : error;
      }
    },
    async ready() {
      using limit = deadline(connectMs, new AbortController().signal);
      const knocks = warm ? 1 : Math.min(connections, warmConnections);
      await Promise.all(Array.from({ length: knocks }, () => knock(limit.signal)));
      warm = true;
    },
    close: () => pool.destroy(),
  };
}

/** Where all calls are made with our own key, a key that is refused is no fault of the caller's. */
function blamingUs(failure: Failure): Failure {
  if (failure.status !== 401 || failure.error.family !== 'key') return failure;
  const error = new ServiceError('provider_error', {
    detail: 'The upstream service refuses the key of this gateway.',
    cause: failure.error,
  });
  return { ...failure, error };
}

function queryOf({ query = {} }: EndpointRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** A failure that says that the service is in trouble, as the circuit breaker counts it. */
function isTrouble({ kind, status, error }: Failure): boolean {
  switch (kind) {
    case 'unreached':
    case 'broken':
      return true;
    case 'expired':
      // Not where the client went away.
      return (error.cause as Partial<Error> | undefined)?.name === 'TimeoutError';
    case 'answered':
      return status !== null && status >= 500;
    default:
      return kind satisfies never;
  }
}

/** @throws ServiceError `request_timeout` when the signal aborts first */
function pause(milliseconds: number, signal: AbortSignal, repeatable: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(expiry(signal.reason, { repeatable }).error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}
