import type { Caller } from './caller.ts';

export const replayedHeader = 'idempotency-replayed';

export interface TakenKey {
  readonly id: string;
  readonly holder: string;
}

/** The key of an atomic command, which stores its response with its rows (store/key-response.ts). */
export interface AtomicKey extends TakenKey {
  print(result: object): string;
}

export interface IdempotentRequest {
  readonly caller: Caller;
  /** Keys of different endpoints are unrelated. */
  readonly endpoint: string;
  readonly key: string;
  /** Another content with the same key is refused. */
  readonly request: object;
  readonly signal: AbortSignal;
  /** Whether the response is stored in the one transaction of the work, which is repeated if that has not happened. */
  readonly isAtomic?: boolean;
}

export interface Idempotency {
  /**
   * Runs `work` once for each idempotency key of an API key and endpoint. For 24 hours later requests with it get its
   * response; concurrent ones, in any process, wait for it.
   *
   * API keys do not share idempotency keys: one that is limited to accounts would find out which ones others use, and
   * could use them up. An API key and its access tokens for the same accounts share them: a client goes on with a new one.
   *
   * | The request ended with | The key | The next request with it |
   * |---|---|---|
   * | a success | is kept | gets the same response |
   * | an error whose outcome is `unknown` (`errorTable`) | is kept | gets the same error; if atomic, it runs `work` |
   * | its process | is kept | gets `request_timeout`; if atomic, it runs `work` |
   * | a success that is too large to store | is kept | gets `request_timeout` |
   * | an error that says that nothing happened | is given back | runs `work` |
   *
   * Rejected: storing refusals too, as Stripe does with begun requests. Free of cost, they would fill the database.
   * @param work acts, and returns the body of the response; it throws what it refuses
   * @throws ServiceError `invalid_parameters` for a key of another request, `service_unavailable` when the running one
   *   does not finish in time, `limit_too_high` for too many idempotency keys; as commands fail, `work`'s
   */
  once(
    request: IdempotentRequest,
    work: (taken: TakenKey) => Promise<string>,
  ): Promise<{ readonly body: string; readonly replayed: boolean }>;
}
