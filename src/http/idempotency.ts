/** Requests that are sent again under the same `Idempotency-Key`, as a client does that never saw the first answer. */
import type { Caller } from '../auth/caller.ts';

/** An answer as it was sent: its status and its body, byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

export interface IdempotentRequest {
  readonly caller: Caller;
  /** Keys of different endpoints have nothing to do with each other. */
  readonly endpoint: string;
  readonly key: string;
  /** What is asked: the same key with anything else is refused. */
  readonly request: object;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface Idempotency {
  /**
   * Runs `work` unless it has been run for the same key of the same workspace and endpoint within 24 hours; then answers
   * what it answered. Of several at once one runs it, over all processes, and the others wait for it. An answer of status
   * 500 and above is not kept: the next one tries again.
   * @throws ServiceError `invalid_parameters` for a key of another request, `service_unavailable` after waiting too long
   */
  once(
    request: IdempotentRequest,
    work: () => Promise<StoredAnswer>,
  ): Promise<{ readonly answer: StoredAnswer; readonly replayed: boolean }>;
}
