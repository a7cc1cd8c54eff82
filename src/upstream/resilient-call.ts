/** The policy around an exchange, from the outside in: retries → a slot → a circuit breaker → one exchange. */

import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { templateOf } from '../kernel/endpoint.ts';
import { mayHaveActed, ServiceError } from '../kernel/errors.ts';
import { type AbortSignalLike, type Deadline, TimeoutError } from '../kernel/lib/abort-signal.ts';
import { temporaryStatuses } from '../kernel/lib/http-semantics.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { WireResponse } from '../kernel/request-context.ts';
import type { Metrics } from '../telemetry/telemetry.ts';
import { createCallSlots, type ReleaseSlot } from './call-slots.ts';
import { type CallOutcome, createCircuits, logCircuits, type OpenCircuit } from './circuits.ts';
import type { HttpExchange, PreparedCall } from './exchange.ts';
import { type CallFailure, expiry, isOutage, logFailure } from './failure.ts';
import { ParsedOnDemand, type Success } from './response.ts';

const maxCallers = 10_000;

interface CallDependencies {
  readonly send: HttpExchange['send'];
  readonly metrics?: Metrics | null;
  readonly connections: number;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly random: () => number;
}

export function createResilientCall({
  send,
  metrics = null,
  connections,
  logger,
  now,
  clock,
  random,
}: CallDependencies) {
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

  function attempt(
    call: PreparedCall,
    signal: AbortSignalLike,
    endsAt: number,
  ): Refused | Promise<Success | CallFailure | Refused> {
    const release = slots.tryTake(call.origin.keyId);
    return release === null ? attemptInTurn(call, signal, endsAt) : make(call, signal, release);
  }

  async function attemptInTurn(
    call: PreparedCall,
    signal: AbortSignalLike,
    endsAt: number,
  ): Promise<Success | CallFailure | Refused> {
    // Nobody waits in vain.
    const refusal = circuits.refusalOf(call.origin);
    if (refusal !== null) return refusedCall(refusal);
    const release = await slots.wait(call.origin.keyId, signal);
    if (release === null) return signal.aborted ? notSent(signal) : refusedCall({ retryInMs: 0 });
    // The timer of the deadline may be late: a call without time would look like a failure of the service.
    if (!signal.aborted && clock() < endsAt) return make(call, signal, release);
    release();
    return notSent({ reason: signal.reason ?? new TimeoutError('Its turn came when its time was up') });
  }

  function make(
    call: PreparedCall,
    signal: AbortSignalLike,
    release: ReleaseSlot,
  ): Refused | Promise<Success | CallFailure> {
    const permit = circuits.tryAcquire(call.origin);
    if ('retryInMs' in permit) {
      release();
      return refusedCall(permit);
    }
    const end = (outcome: CallOutcome) => {
      permit.record(outcome);
      release();
    };
    return send(call, signal).then(
      (result) => {
        end(breakerOutcome(result));
        return result;
      },
      (error: unknown) => {
        end('unknown');
        throw error;
      },
    );
  }

  /**
   * Repeats a call where that is safe and may help. An unreadable value is logged as a failure, but not repeated, nor
   * held against the service. @param milliseconds at most, until `limit` ends the call. @throws ServiceError
   */
  return async (call: PreparedCall, limit: Deadline, milliseconds: number): Promise<WireResponse> => {
    const endsAt = clock() + milliseconds;
    const { repeatable } = call;
    const retryBudget = retryBudgets.memo(call.origin.keyId);
    retryBudget.deposit();
    let last: ServiceError | null = null;
    /** An attempt that may have been carried out; a refused call was not. */
    let unsettled: ServiceError | null = null;
    for (let attempts = 1; ; attempts += 1) {
      const result = await attempt(call, limit, endsAt);
      if (result.kind === 'refused') {
        metrics?.count('postern.upstream.refusals', { 'url.template': templateOf(call.endpoint) });
        // The last attempt's error says more than that there cannot be another.
        throw unsettled ?? last ?? result.error;
      }
      if (result.kind === 'success')
        return new ParsedOnDemand(result, (failure) => logFailure(logger, call, failure, attempts));
      const wait = retryBudget.withdraw(result, { attempt: attempts, repeatable, remainingMs: endsAt - clock() });
      logFailure(logger, call, result, attempts, wait);
      if (call.endpoint.method !== 'GET') {
        if (mayHaveActed(result.error)) unsettled = result.error;
        else if (result.reported === null ? (result.status ?? 500) < 500 : result.error.status < 500) unsettled = null;
      }
      if (wait === null) throw unsettled ?? result.error;
      metrics?.count('postern.upstream.retries', { 'url.template': templateOf(call.endpoint) });
      last = result.error;
      await pause(wait, limit).catch((error: unknown) => {
        throw unsettled ?? error;
      });
    }
  };
}

interface Refused {
  readonly kind: 'refused';
  readonly error: ServiceError;
}

const refusedCall = ({ retryInMs }: OpenCircuit): Refused => ({
  kind: 'refused',
  error: new ServiceError('service_unavailable', {
    detail: 'The upstream service is failing or overloaded. Try again shortly.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryInMs / 1_000))) },
  }),
});

/** Time was over before it was sent: it changed nothing, and can be repeated. */
const notSent = ({ reason }: Pick<AbortSignalLike, 'reason'>): CallFailure => expiry(reason, { sent: false });

function breakerOutcome(result: Success | CallFailure): CallOutcome {
  if (result.kind === 'success') return 'success';
  if (isOutage(result)) return 'failure';
  return result.kind === 'expired' ? 'unknown' : 'success';
}

/** @throws ServiceError `request_timeout` if the limit ends it first */
const pause = (milliseconds: number, limit: Deadline): Promise<void> =>
  sleep(milliseconds, undefined, { signal: limit.signal }).catch(() => {
    throw notSent(limit).error;
  });

type RetryBudget = ReturnType<typeof createRetryBudget>;

export const retryRules = {
  attempts: 3,
  /** The first backoff lasts half of this to all of it; each further one twice as long. */
  firstBackoffMs: 100,
  /** Retries that a call pays for. */
  deposit: 0.1,
  /** Retries in a full budget, as it is at first. */
  capacity: 20,
} as const;

/** @param random from 0 up to 1 */
export function createRetryBudget(random: () => number) {
  let balance: number = retryRules.capacity;
  return {
    /** Called once per call; pays for a part of a retry. */
    deposit() {
      balance = Math.min(retryRules.capacity, balance + retryRules.deposit);
    },
    /**
     * @param call.attempt attempts so far. @param call.repeatable whatever the outcome. @param call.remainingMs in all
     * @returns the backoff in milliseconds; null for no retry
     */
    withdraw(
      failure: CallFailure,
      call: { readonly attempt: number; readonly repeatable: boolean; readonly remainingMs: number },
    ): number | null {
      const { attempt, repeatable, remainingMs } = call;
      // A request that never arrived changed nothing. Any other is repeated only where that does no harm.
      const harmless = failure.kind === 'unreached' || (repeatable && isWorthRepeating(failure));
      if (!harmless || attempt >= retryRules.attempts || balance < 1) return null;
      const backoff = ((1 + random()) / 2) * retryRules.firstBackoffMs * 2 ** (attempt - 1);
      const wait = Math.max(backoff, failure.retryAfterMs ?? 0);
      if (wait >= remainingMs) return null;
      balance -= 1;
      return wait;
    },
  };
}

function isWorthRepeating({ kind, status }: CallFailure): boolean {
  switch (kind) {
    case 'unreached':
    case 'broken':
      return true;
    case 'response':
      return status !== null && temporaryStatuses.has(status);
    case 'expired':
      return false;
    default:
      return kind satisfies never;
  }
}
