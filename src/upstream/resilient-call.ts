/** The policy around an exchange, from the outside in: retries → a slot → a circuit breaker → one exchange. */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { version } from '../kernel/endpoint.ts';
import { mayHaveActed, ServiceError } from '../kernel/errors.ts';
import { isAbandonment } from '../kernel/lib/deadline.ts';
import type { WireResponse } from '../kernel/wire-response.ts';
import type { Metrics } from '../telemetry/telemetry.ts';
import { createCallSlots } from './call-slots.ts';
import type { Outcome, Refusal } from './circuit-breaker.ts';
import { logCircuits } from './circuit-log.ts';
import { createCircuits } from './circuits.ts';
import type { Exchange, PreparedCall } from './exchange.ts';
import { expiry, type Failure, isNoteworthy, isOutage } from './failure.ts';
import { onDemand, type Success } from './response.ts';
import { createRetryBudget, type RetryBudget } from './retry-policy.ts';

/**
 * Makes a call, and repeats it where that is safe and may help. A response that turns out to be unreadable when its value
 * is taken is logged like every other failure. It would not have been repeated, and says nothing about the service.
 * @param signal ends the call
 * @param milliseconds until the signal does, at the latest
 * @throws ServiceError for every failure
 */
export type ResilientCall = (call: PreparedCall, signal: AbortSignal, milliseconds: number) => Promise<WireResponse>;

/** Callers whose retries are counted at a time. */
const maxCallers = 10_000;

interface Dependencies {
  readonly send: Exchange['send'];
  readonly metrics?: Metrics | null;
  readonly connections: number;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly elapsed: () => number;
  readonly random: () => number;
}

export function createResilientCall({
  send,
  metrics = null,
  connections,
  logger,
  now,
  elapsed,
  random,
}: Dependencies): ResilientCall {
  const retryBudgets = new LRUCache<string, RetryBudget>({
    max: maxCallers,
    memoMethod: () => createRetryBudget(random),
  });
  const time = () => now().getTime();
  const circuits = createCircuits(time, logCircuits(logger, metrics, time));
  const slots = createCallSlots(connections);
  metrics?.observe('postern.upstream.circuits.open', () => [[circuits.open, {}]]);
  metrics?.observe('postern.upstream.slots', () => [
    [slots.taken, { state: 'used' }],
    [slots.waiting, { state: 'waiting' }],
  ]);

  async function attempt(call: PreparedCall, signal: AbortSignal): Promise<Success | Failure | Refused> {
    const { keyId } = call.origin;
    let release = slots.tryTake(keyId);
    if (release === null) {
      // Who would wait for nothing is told at once.
      const refusal = circuits.refusalOf(call.origin);
      if (refusal !== null) return refused(refusal);
      release = await slots.wait(keyId, signal);
      if (release === null) return signal.aborted ? notSent(signal) : refused({ retryInMs: 0 });
    }
    try {
      return await make(call, signal);
    } finally {
      release();
    }
  }

  async function make(call: PreparedCall, signal: AbortSignal): Promise<Success | Failure | Refused> {
    const permit = circuits.tryAcquire(call.origin);
    if ('retryInMs' in permit) return refused(permit);
    let outcome: Outcome = 'unknown';
    try {
      const result = await send(call, signal);
      outcome = outcomeOf(result);
      return result;
    } finally {
      permit.record(outcome);
    }
  }

  /**
   * One line per failure, with the request ids of both sides. It has neither the key nor the ids and query of the URL.
   */
  function log({ endpoint, requestId }: PreparedCall, failure: Failure, attempts: number, wait: number | null): void {
    const { error, status, instance } = failure;
    // The log line of the request says that its client has gone.
    if (failure.kind === 'expired' && isAbandonment(error.cause)) return;
    logger[isNoteworthy(failure) ? 'warn' : 'info'](
      {
        reqId: requestId,
        upstream: {
          method: endpoint.method,
          path: templateOf({ endpoint }),
          status,
          type: error.type,
          instance,
          attempt: attempts,
        },
        ...(wait === null ? {} : { retryInMs: Math.round(wait) }),
        ...(failure.kind === 'response' ? {} : { err: error.cause }),
      },
      'upstream failure',
    );
  }

  return async (call, signal, milliseconds) => {
    const endsAt = elapsed() + milliseconds;
    const { repeatable } = call;
    const retryBudget = retryBudgets.memo(call.origin.keyId);
    retryBudget.deposit();
    let last: ServiceError | null = null;
    /** Of an attempt that may have been carried out. Only a refusal says that none was. */
    let unsettled: ServiceError | null = null;
    for (let attempts = 1; ; attempts += 1) {
      const result = await attempt(call, signal);
      if (result.kind === 'refused') {
        metrics?.count('postern.upstream.refusals', { 'url.template': templateOf(call) });
        // What the attempt before ended with says more than that there cannot be another.
        throw unsettled ?? last ?? result.error;
      }
      if (result.kind === 'success') return onDemand(result, (failure) => log(call, failure, attempts, null));
      const wait = retryBudget.withdraw(result, { attempt: attempts, repeatable, remainingMs: endsAt - elapsed() });
      log(call, result, attempts, wait);
      if (call.endpoint.method !== 'GET') {
        if (mayHaveActed(result.error)) unsettled = result.error;
        else if (result.error.status < 500) unsettled = null;
      }
      if (wait === null) throw unsettled ?? result.error;
      metrics?.count('postern.upstream.retries', { 'url.template': templateOf(call) });
      last = result.error;
      await pause(wait, signal).catch((error: unknown) => {
        throw unsettled ?? error;
      });
    }
  };
}

/** The path with the names of its parameters, not their values. */
const templateOf = ({ endpoint }: Pick<PreparedCall, 'endpoint'>): string => `/${version}${endpoint.path}`;

/** A call that is not made: because a circuit is open, or too many wait. */
interface Refused {
  readonly kind: 'refused';
  readonly error: ServiceError;
}

const refused = ({ retryInMs }: Refusal): Refused => ({
  kind: 'refused',
  error: new ServiceError('service_unavailable', {
    detail: 'The upstream service is in trouble or overloaded, or fails at what is asked for. Try again shortly.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryInMs / 1_000))) },
  }),
});

/** The failure of a call whose time was over before it was sent: it changed nothing, and can be repeated. */
const notSent = ({ reason }: AbortSignal): Failure => expiry(reason, { sent: false });

function outcomeOf(result: Success | Failure): Outcome {
  if (result.kind === 'success') return 'success';
  if (isOutage(result)) return 'failure';
  return result.kind === 'expired' ? 'unknown' : 'success';
}

/**
 * Waits for a retry.
 * @throws ServiceError `request_timeout` if the signal aborts first
 */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(notSent(signal).error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}
