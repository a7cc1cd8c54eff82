/**
 * The client of the upstream service: calls the contract's endpoints over HTTP. Each call passes, from the outside in:
 * the operation's call budget → deadline → single flight for reads → retries → a slot → a circuit breaker → one exchange.
 */
import type { Logger } from 'pino';
import type { ContractEndpoint } from '../kernel/endpoint.ts';
import { TimeoutError, underDeadline } from '../kernel/lib/deadline.ts';
import { sharedCheck } from '../kernel/lib/shared-check.ts';
import type { Operation } from '../kernel/operation.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { readValue, type WireResponse } from '../kernel/wire-response.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { createCallBudget } from './call-budget.ts';
import { connectTimeoutMs, openExchange } from './exchange.ts';
import { expiry } from './failure.ts';
import { observedSend } from './observed-send.ts';
import { createResilientCall } from './resilient-call.ts';
import type { UpstreamSettings } from './settings.ts';
import { createSingleFlight } from './single-flight.ts';
import type { Vocabularies } from './translation.ts';

// All that a capability needs to know of this folder.
export { pageOf } from './page.ts';
export { unsupported } from './unsupported.ts';

export interface UpstreamDependencies {
  readonly logger: Logger;
  readonly telemetry?: Pick<Telemetry, 'metrics' | 'tracer'>;
  readonly now: () => Date;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed?: () => number;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** An endpoint whose operation takes and returns these. */
export type EndpointOf<Request, Response> = ContractEndpoint & { readonly operation: Operation<Request, Response> };

/** An endpoint that changes nothing. */
export type ReadEndpointOf<Request, Response> = EndpointOf<Request, Response> & { readonly method: 'GET' };

export interface Upstream {
  /**
   * Calls an endpoint. The response is an object of one of the endpoint's kinds, in the contract's terms. Its other
   * fields are trusted to be as the contract has them: whatever reads them is tolerant. It may be shared with other
   * callers, so nobody changes it.
   * @param request what the endpoint's operation takes
   * @throws ServiceError for every failure
   */
  call<Request extends object, Response>(
    context: RequestContext,
    endpoint: EndpointOf<Request, Response>,
    request: Request,
  ): Promise<Response>;
  /**
   * Calls an endpoint for the bytes of its response. It does as {@link call} does, and joins the same flights, except
   * that nobody has looked into the body yet: it may be of no kind that the endpoint has, or no JSON at all. Then its
   * value throws what `call` would have thrown, and the failure is logged when that happens.
   * @throws ServiceError for every other failure
   */
  read<Request extends object, Response>(
    context: RequestContext,
    endpoint: ReadEndpointOf<Request, Response>,
    request: Request,
  ): Promise<WireResponse>;
  /** Whether responses of the endpoint come in other terms than the contract's: then only their value is in these. */
  isTranslated(endpoint: ContractEndpoint): boolean;
  /** Rejects while the service cannot be reached: a {@link sharedCheck}. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connections that are opened before the gateway first reports that it is ready, so that the first requests find them.
 */
const warmConnections = 4;

/** The message of the deadlines of calls, for the log. */
const deadlineMessage = 'The upstream service took too long';

/** @throws Error that says what is wrong with `settings.names` */
export function createUpstream(
  settings: UpstreamSettings,
  vocabularies: Vocabularies,
  {
    logger,
    telemetry = noTelemetry,
    now,
    elapsed = () => performance.now(),
    random = Math.random,
  }: UpstreamDependencies,
): Upstream {
  const { timeoutMs, budgetMs, maxCalls, connections } = settings;
  const { prepare, send, probe, isTranslated, close } = openExchange(settings, vocabularies, now);
  const perform = createResilientCall({
    send: observedSend(send, settings.origin, telemetry),
    metrics: telemetry.metrics,
    connections,
    logger,
    now,
    elapsed,
    random,
  });
  const callBudget = createCallBudget({ calls: maxCalls, milliseconds: budgetMs }, elapsed);
  const flightTimes = { lastsMs: timeoutMs, joinableMs: timeoutMs / 2, message: deadlineMessage };
  const singleFlight = createSingleFlight(flightTimes, elapsed);
  let warm = false;

  async function responseOf(
    context: RequestContext,
    endpoint: ContractEndpoint,
    request: object,
  ): Promise<WireResponse> {
    const { caller, signal, generation } = context;
    const milliseconds = Math.min(timeoutMs, callBudget.take(signal));
    const prepared = prepare(context, endpoint, request);
    if (endpoint.method !== 'GET') {
      singleFlight.forget(caller.keyId);
      try {
        // Not with the client: the service would carry the command out all the same, and nobody would know when.
        return await underDeadline(milliseconds, null, deadlineMessage, (ends) =>
          perform(prepared, ends, milliseconds),
        );
      } finally {
        singleFlight.forget(caller.keyId);
      }
    }
    // A flight has the full time of a call, as later callers may join it: it also ends those who have no less time.
    const work = (flightSignal: AbortSignal) => perform(prepared, flightSignal, timeoutMs);
    // A read that began before somebody changed what it reads must not become a response that is kept after that.
    const flight = generation === undefined ? prepared.path : `${generation} ${prepared.path}`;
    const join = async (ends: AbortSignal) => {
      try {
        return await singleFlight.run(caller.keyId, flight, work, ends);
      } catch (error) {
        const ended = error === ends.reason || error instanceof TimeoutError;
        throw ended ? expiry(error, { sent: true }).error : error;
      }
    };
    return milliseconds < timeoutMs ? underDeadline(milliseconds, signal, deadlineMessage, join) : join(signal);
  }

  return {
    // The one place where a response gets its type: its `object` has been checked, and its fields are trusted.
    call: async <Request extends object, Response>(
      context: RequestContext,
      endpoint: EndpointOf<Request, Response>,
      request: Request,
    ) => (await readValue(await responseOf(context, endpoint, request))) as Response,
    read: responseOf,
    isTranslated,
    ready: sharedCheck(() =>
      underDeadline(connectTimeoutMs, null, deadlineMessage, async (ends) => {
        if (warm) return probe('probes', ends);
        const calls = Array.from({ length: Math.min(connections, warmConnections) }, () => probe('calls', ends));
        await Promise.all(calls);
        warm = true;
      }),
    ),
    close,
  };
}
