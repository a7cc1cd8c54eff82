/**
 * What can go wrong between the gateway and the upstream, in the contract's terms. Callers see nothing of its
 * internals.
 */
import { type ErrorName, ServiceError } from '../kernel/errors.ts';
import { failedBeforeSending } from '../net/transport-failure.ts';

export interface Failure {
  /**
   * `unreached`: the service never received the request. `broken`: the connection broke after that. `expired`: nobody
   * waits any more. `response`: the service reported the failure, or its response cannot be understood.
   */
  readonly kind: 'unreached' | 'broken' | 'expired' | 'response';
  readonly error: ServiceError;
  /** Of the response; null without one. */
  readonly status: number | null;
  /** The type of the contract that the service reported; null if it reported none. */
  readonly reported: ErrorName | null;
  /** How long the service asks to be left alone. */
  readonly retryAfterMs: number | null;
  /** The service's own id of the request, for the log. */
  readonly instance: string | null;
}

const withoutResponse = { status: null, reported: null, retryAfterMs: null, instance: null } as const;

/** The failure of a connection. */
export function connectionFailure(cause: unknown): Failure {
  if (failedBeforeSending(cause)) {
    const detail = 'The upstream service cannot be reached. Try again later.';
    return { kind: 'unreached', error: new ServiceError('service_unavailable', { detail, cause }), ...withoutResponse };
  }
  const detail = 'The connection to the upstream service broke. Try again.';
  const error = new ServiceError('network_down', { detail, cause });
  return { kind: 'broken', error, ...withoutResponse };
}

/**
 * The failure of a call that ended by its signal.
 * @param reason of the signal: a deadline, or a client that disconnected and will not read this
 * @param call.sent whether the service may have received it
 */
export function expiry(reason: unknown, { sent }: { readonly sent: boolean }): Failure {
  const error = new ServiceError('request_timeout', {
    detail: 'The upstream service did not respond in time. Try again.',
    cause: reason,
    outcomeUnknown: sent ? undefined : false,
  });
  return { kind: 'expired', error, ...withoutResponse };
}

/**
 * Whether a failure is an outage, as circuit breakers count it. An error of the contract is the response of a service that
 * works: it tells its caller what to do, such as to reconnect an account, so that nothing may stand in for it. Only
 * `service_unavailable` says what a circuit breaker would.
 */
export function isOutage({ kind, status, reported, error }: Failure): boolean {
  switch (kind) {
    case 'unreached':
    case 'broken':
      return true;
    case 'expired':
      // A client that disconnected says nothing about the service.
      return error.cause instanceof Error && error.cause.name === 'TimeoutError';
    case 'response':
      return (status ?? 0) >= 500 && (reported === null || reported === 'service_unavailable');
    default:
      return kind satisfies never;
  }
}

/** Whether somebody should look at a failure: whether it is no fault of its caller. */
export const isNoteworthy = (failure: Failure): boolean =>
  failure.kind === 'response' ? (failure.status ?? 0) >= 500 : isOutage(failure);

/**
 * The failure as callers see it where all calls are made with the gateway's own key: a key that the service refuses is
 * no fault of theirs.
 */
export function asGatewayFault(failure: Failure): Failure {
  if (failure.status !== 401 || failure.error.family !== 'key') return failure;
  const error = new ServiceError('provider_error', {
    detail: 'The upstream service refuses the key of this gateway.',
    cause: failure.error,
    outcomeUnknown: false,
  });
  return { ...failure, error };
}
