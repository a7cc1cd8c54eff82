/** Failures between gateway and upstream in the contract's terms: callers see nothing of its internals. */
import type { Logger } from 'pino';
import { type ContractEndpoint, templateOf } from '../kernel/endpoint.ts';
import { type ErrorName, ServiceError } from '../kernel/errors.ts';
import { isAbandonment } from '../kernel/lib/abort-signal.ts';
import { failedBeforeSending } from '../net/transport-failure.ts';

export interface CallFailure {
  /**
   * `unreached`: the service never received the request. `broken`: the connection broke after that. `expired`: nobody
   * waits any more. `response`: the service reported the failure, or its response is unreadable.
   */
  readonly kind: 'unreached' | 'broken' | 'expired' | 'response';
  readonly error: ServiceError;
  readonly status: number | null;
  readonly reported: ErrorName | null;
  readonly retryAfterMs: number | null;
  readonly instance: string | null;
}

const withoutResponse = { status: null, reported: null, retryAfterMs: null, instance: null } as const;

export function connectionFailure(cause: unknown): CallFailure {
  if (failedBeforeSending(cause)) {
    const detail = 'The upstream service cannot be reached. Try again later.';
    return { kind: 'unreached', error: new ServiceError('service_unavailable', { detail, cause }), ...withoutResponse };
  }
  const detail = 'The connection to the upstream service broke. Try again.';
  const error = new ServiceError('network_down', { detail, cause });
  return { kind: 'broken', error, ...withoutResponse };
}

/** @param reason a deadline, or a client that went. @param call.sent whether the service may have received it */
export function expiry(reason: unknown, { sent }: { readonly sent: boolean }): CallFailure {
  const error = new ServiceError('request_timeout', {
    detail: 'The upstream service did not respond in time. Try again.',
    cause: reason,
    outcomeUnknown: sent ? undefined : false,
  });
  return { kind: 'expired', error, ...withoutResponse };
}

/** For circuit breakers. An error of the contract is a working service's; only `service_unavailable` is an outage. */
export function isOutage({ kind, status, reported, error }: CallFailure): boolean {
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

/** Whether the operator should look at a failure: it is no fault of its caller. */
const isNoteworthy = (failure: CallFailure): boolean =>
  failure.kind === 'response' ? (failure.status ?? 0) >= 500 : isOutage(failure);

/** A refused key is the gateway's fault where all calls are made with its own. */
export function asGatewayFault(failure: CallFailure): CallFailure {
  if (failure.status !== 401 || failure.error.family !== 'key') return failure;
  const error = new ServiceError('provider_error', {
    detail: 'The upstream service refuses the key of this gateway.',
    cause: failure.error,
    outcomeUnknown: false,
  });
  return { ...failure, error };
}

/** One line per failure, with the request ids of both sides, but neither key nor ids and query of the URL. */
export function logFailure(
  logger: Logger,
  { endpoint, requestId }: { readonly endpoint: ContractEndpoint; readonly requestId: string },
  failure: CallFailure,
  attempt: number,
  retryInMs: number | null = null,
): void {
  const { error, status, instance } = failure;
  // The log line of the request reports the disconnect.
  if (failure.kind === 'expired' && isAbandonment(error.cause)) return;
  logger[isNoteworthy(failure) ? 'warn' : 'info'](
    {
      reqId: requestId,
      upstream: {
        method: endpoint.method,
        path: templateOf(endpoint),
        status,
        type: error.type,
        instance,
        attempt,
      },
      ...(retryInMs === null ? {} : { retryInMs: Math.round(retryInMs) }),
      ...(failure.kind === 'response' ? {} : { err: error.cause }),
    },
    'upstream failure',
  );
}
