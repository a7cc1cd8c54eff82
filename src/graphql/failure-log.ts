import type { IncomingRequest } from '../http/incoming-request.ts';
import { logFailure } from '../http/refusals.ts';
import type { ServiceError } from '../kernel/errors.ts';

/** The failures of one response, with one line in the log for each kind. */
export class FailureLog {
  readonly #kinds = new Map<string, { readonly failure: ServiceError; count: number }>();

  note(failure: ServiceError): void {
    const { type, detail, cause } = failure;
    const kind = `${type} ${cause instanceof Error ? cause.message : detail}`;
    const known = this.#kinds.get(kind);
    if (known === undefined) this.#kinds.set(kind, { failure, count: 1 });
    else known.count += 1;
  }

  /** @param untold errors that nobody looked at */
  write(http: Pick<IncomingRequest, 'log' | 'clientAborted'>, untold: number): void {
    for (const { failure, count } of this.#kinds.values()) logFailure(failure, http, count === 1 ? {} : { count });
    if (untold > 0) http.log.info({ count: untold }, 'more errors in the response');
  }
}
