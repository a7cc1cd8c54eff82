/** Requests that a client repeats under the same `Idempotency-Key` because it never saw the first response. */
import type { Caller } from './caller.ts';

/** Marks a response that repeats the one to the first request with the same `Idempotency-Key`. */
export const replayedHeader = 'idempotency-replayed';

export interface IdempotentRequest {
  readonly caller: Caller;
  /** Each endpoint has keys of its own: equal keys of two endpoints are unrelated. */
  readonly endpoint: string;
  readonly key: string;
  /** The content of the request. The same key with any other content is refused. */
  readonly request: object;
  /** Aborts when the client no longer waits for the response. */
  readonly signal: AbortSignal;
}

export interface Idempotency {
  /**
   * Runs `work` once for each idempotency key of an API key and endpoint, and returns its response to every later request with that
   * idempotency key for 24 hours. Of several concurrent requests, in any process, one runs `work` and the others wait for its
   * response.
   *
   * API keys do not share idempotency keys: one that is limited to accounts would else find out which ones others use, and
   * could use them up. A client that repeats a request after a change of its API key is not recognised.
   *
   * A request whose outcome nobody knows (its process died, or the service behind it did not respond) is told as that, and
   * not run again with its key: the caller must look what became of it, and then use another key.
   *
   * | The request ended with | The key | The next request with it |
   * |---|---|---|
   * | a success | is kept | gets the same response |
   * | an error whose outcome is `unknown` (`errorTable`) | is kept | gets the same error |
   * | its process, or a success that is too large to store | is kept | gets `request_timeout` |
   * | an error that says that nothing happened | is given back | runs `work` |
   *
   * Storing refusals too, as Stripe does with those of requests that have begun, would let anyone fill the database with
   * requests that cost nothing.
   * @param work acts, and returns the body of the response; it throws what it refuses
   * @throws ServiceError `invalid_parameters` when the key was used for another request, `service_unavailable` when the
   *   running request does not finish in time, `limit_too_high` when the API key has used too many idempotency keys; or, as
   *   a failure of a command, what `work` throws or threw
   */
  once(
    request: IdempotentRequest,
    work: () => Promise<string>,
  ): Promise<{ readonly body: string; readonly replayed: boolean }>;
}
