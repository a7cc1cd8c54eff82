/** What can go wrong between here and the upstream, in the contract's terms. Nothing of its internals is shown. */
import { ServiceError } from '../errors.ts';

export interface Failure {
  /**
   * `unreached`: the service never had the request. `broken`: the connection broke after that. `expired`: nobody waits
   * any more. `answered`: it said so, or something that cannot be understood.
   */
  readonly kind: 'unreached' | 'broken' | 'expired' | 'answered';
  readonly error: ServiceError;
  /** Of the answer; null without one. */
  readonly status: number | null;
  /** How long the service asks to be left alone. */
  readonly retryAfterMs: number | null;
  /** The service's own id of the request, for the log. */
  readonly instance: string | null;
}

/** What a caller of a change must know when nobody heard how it ended. */
const doubt = ' It is not known whether it was carried out: check before you try again.';

/** @param repeatable whether the call can be made again whatever became of it */
export function transportFailure(cause: unknown, { repeatable }: { readonly repeatable: boolean }): Failure {
  const reached = !neverConnected(cause);
  const error = reached
    ? new ServiceError('network_down', {
        detail: `The connection to the upstream service broke.${repeatable ? '' : doubt}`,
        cause,
      })
    : new ServiceError('service_unavailable', {
        detail: 'The upstream service cannot be reached. Try again later.',
        cause,
      });
  return { kind: reached ? 'broken' : 'unreached', error, status: null, retryAfterMs: null, instance: null };
}

/** @param reason of the signal that ended the call: a deadline, or a client that went away and will not read this */
export function expiry(reason: unknown, { repeatable }: { readonly repeatable: boolean }): Failure {
  const error = new ServiceError('request_timeout', {
    detail: `The upstream service did not answer in time.${repeatable ? ' Try again.' : doubt}`,
    cause: reason,
  });
  return { kind: 'expired', error, status: null, retryAfterMs: null, instance: null };
}

/** Looking up the name, connecting and the TLS handshake come before the first byte of a request. */
function neverConnected(cause: unknown): boolean {
  // Several addresses were tried: the request went out on none of them if each of them says so.
  if (cause instanceof AggregateError) return cause.errors.every(neverConnected);
  const { code = '', syscall } = cause as NodeJS.ErrnoException;
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    handshakeCodes.test(code)
  );
}

/** Codes of OpenSSL's verification and of node:tls; a record that breaks later on has ERR_SSL_ codes, which are not here. */
const handshakeCodes =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|ERR_TLS_HANDSHAKE_TIMEOUT|ERR_SSL_WRONG_VERSION_NUMBER|HOSTNAME_MISMATCH)/;
