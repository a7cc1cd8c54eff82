/** Requests that a client repeats under the same `Idempotency-Key` because it never saw the first response. */
import type { Caller } from '../auth/caller.ts';

/** A response as it was sent: its status, and its body byte for byte. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

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
   * Runs `work` once for each key of a workspace and endpoint, and returns its response to every later request with that
   * key for 24 hours. Of several concurrent requests, in any process, one runs `work` and the others wait for its
   * response. A response with status 500 or above is not stored: the next request runs `work` again.
   * @throws ServiceError `invalid_parameters` when the key was used for another request, `service_unavailable` when the
   *   running request does not finish in time
   */
  once(
    request: IdempotentRequest,
    work: () => Promise<StoredResponse>,
  ): Promise<{ readonly response: StoredResponse; readonly replayed: boolean }>;
}
