/**
 * Calls the contract's endpoints over HTTP. From the outside in: the operation's call budget → the prepared request →
 * single flight for reads → deadline → retries → a slot → a circuit breaker → telemetry → one exchange. A read whose
 * budget ends before the flight's deadline has a deadline of its own, outside of the flight.
 */

import type { Logger } from 'pino';
import { rightsOf } from '../kernel/caller.ts';
import type { ContractEndpoint } from '../kernel/endpoint.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type AbortSignalLike, type Deadline, TimeoutError, underDeadline } from '../kernel/lib/abort-signal.ts';
import { sharedCheck } from '../kernel/lib/shared-check.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { Operation } from '../kernel/operation.ts';
import { type RequestContext, readValue, type Spent, type WireResponse } from '../kernel/request-context.ts';
import type { BodyMemory } from '../net/body-memory.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { connectionWaitMs, openExchange, type PreparedCall } from './exchange.ts';
import { expiry } from './failure.ts';
import { observedSend } from './observed-send.ts';
import { createResilientCall } from './resilient-call.ts';
import type { UpstreamSettings } from './settings.ts';
import { createSingleFlight } from './single-flight.ts';
import type { Vocabularies } from './translation.ts';

interface UpstreamDependencies {
  readonly logger: Logger;
  readonly telemetry?: Pick<Telemetry, 'metrics' | 'tracer'>;
  readonly now: () => Date;
  readonly memory?: BodyMemory;
  readonly clock?: Clock;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

export type EndpointOf<Request, Response> = ContractEndpoint & { readonly operation: Operation<Request, Response> };

type ReadEndpointOf<Request, Response> = EndpointOf<Request, Response> & { readonly method: 'GET' };

export interface Upstream {
  /**
   * The response has one of the endpoint's kinds; its other fields are trusted, as readers are tolerant.
   * Callers share it. @throws ServiceError for every failure
   */
  call<Request extends object, Response>(
    context: RequestContext,
    endpoint: EndpointOf<Request, Response>,
    request: Request,
  ): Promise<Response>;
  /**
   * {@link call} for bytes that nobody has looked at: their value may throw what `call` would have thrown, and
   * the failure is logged then. Whoever reads them releases them. @throws ServiceError for every other failure
   */
  read<Request extends object, Response>(
    context: RequestContext,
    endpoint: ReadEndpointOf<Request, Response>,
    request: Request,
  ): Promise<WireResponse>;
  /** Whether the endpoint's bytes are in other terms than the contract's; its values never are. */
  isTranslated(endpoint: ContractEndpoint): boolean;
  /** Rejects while the service cannot be reached: a {@link sharedCheck}. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Opened before the gateway first reports readiness, for the first requests. */
const warmConnections = 4;

const deadlineMessage = 'The upstream service took too long';

/** @throws Error that says what is wrong with `settings.names` */
export function createUpstream(
  settings: UpstreamSettings,
  vocabularies: Vocabularies,
  {
    logger,
    telemetry = noTelemetry,
    now,
    memory,
    clock = () => performance.now(),
    random = Math.random,
  }: UpstreamDependencies,
): Upstream {
  const { timeoutMs, budgetMs, maxCalls, connections } = settings;
  const { prepare, send, probe, isTranslated, close } = openExchange(settings, vocabularies, { now, memory });
  const perform = createResilientCall({
    send: observedSend(send, settings.origin, telemetry),
    metrics: telemetry.metrics,
    connections,
    logger,
    now,
    clock,
    random,
  });
  const callBudget = createCallBudget({ calls: maxCalls, milliseconds: budgetMs }, clock);
  const flightTimes = { lastsMs: timeoutMs, joinableMs: timeoutMs / 2, message: deadlineMessage };
  const singleFlight = createSingleFlight(flightTimes, clock);
  let warm = false;

  async function carryOut(prepared: PreparedCall, keyId: string, milliseconds: number): Promise<WireResponse> {
    singleFlight.forget(keyId);
    // Not with the client: the service would carry the command out all the same, and nobody would know when.
    try {
      return await underDeadline(milliseconds, null, deadlineMessage, (limit) =>
        perform(prepared, limit, milliseconds),
      );
    } finally {
      singleFlight.forget(keyId);
    }
  }

  /** Waits for no longer than the milliseconds, and the client. */
  function shared(prepared: PreparedCall, { caller, signal, generation }: RequestContext, milliseconds: number) {
    // A flight has the full time of a call, as later callers may join it.
    const work = (limit: Deadline) => perform(prepared, limit, timeoutMs);
    // A read that began before a change must not be cached after it.
    const flight = `${rightsOf(caller)} ${generation ?? ''} ${prepared.path}`;
    const join = (limit: AbortSignalLike) => singleFlight.run(caller.keyId, flight, work, limit);
    const isCut = milliseconds < timeoutMs;
    const response = isCut ? underDeadline(milliseconds, signal, deadlineMessage, join) : join(signal);
    return response.catch((error: unknown) => {
      const ended = error === signal.reason || error instanceof TimeoutError;
      throw ended ? expiry(error, { sent: true }).error : error;
    });
  }

  function responseOf(context: RequestContext, endpoint: ContractEndpoint, request: object): Promise<WireResponse> {
    try {
      const milliseconds = Math.min(timeoutMs, callBudget.take(context.spent));
      const prepared = prepare(context, endpoint, request);
      if (endpoint.method === 'GET') return shared(prepared, context, milliseconds);
      return carryOut(prepared, context.caller.keyId, milliseconds);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return {
    // The one place where a response gets its type: its `object` has been checked, its fields are trusted.
    call: async <Request extends object, Response>(
      context: RequestContext,
      endpoint: EndpointOf<Request, Response>,
      request: Request,
    ) => {
      const response = await responseOf(context, endpoint, request);
      try {
        return (await readValue(response, context.turn)) as Response;
      } finally {
        response.release();
      }
    },
    read: responseOf,
    isTranslated,
    ready: sharedCheck(() =>
      underDeadline(connectionWaitMs, null, deadlineMessage, async (limit) => {
        if (warm) return probe('probes', limit);
        const calls = Array.from({ length: Math.min(connections, warmConnections) }, () => probe('calls', limit));
        await Promise.all(calls);
        warm = true;
      }),
    ),
    close,
  };
}

/** Starts with the first call. */
export function createCallBudget(limits: { readonly calls: number; readonly milliseconds: number }, clock: Clock) {
  return {
    /** @returns ms for the call. @throws ServiceError `limit_too_high` or `request_timeout` beyond the budget */
    take(spent: Spent) {
      const now = clock();
      spent.firstCallAt ??= now;
      const remaining = spent.firstCallAt + limits.milliseconds - now;
      if (spent.calls === limits.calls) {
        throw new ServiceError('limit_too_high', {
          detail: `The operation needs more than ${limits.calls} calls to the upstream service. Request less at once.`,
        });
      }
      if (remaining <= 0) {
        throw new ServiceError('request_timeout', {
          detail: 'The operation has used up its time for calls to the upstream service. Request less at once.',
          outcomeUnknown: false,
        });
      }
      spent.calls += 1;
      return remaining;
    },
  };
}

/** An odd item costs nobody the page. @throws ServiceError `provider_error` for a response that is no list */
export function pageOf<Item>(response: { readonly items: readonly Item[]; readonly cursor: string | null }): {
  readonly items: Item[];
  readonly cursor: string | null;
} {
  const { items, cursor = null } = response;
  if (!Array.isArray(items) || (cursor !== null && typeof cursor !== 'string')) {
    throw new ServiceError('provider_error', { detail: 'The response of the upstream service is not a list.' });
  }
  // The contract's cursors have at least one character.
  return { items, cursor: cursor === '' ? null : cursor };
}
