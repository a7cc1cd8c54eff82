import type { Caller } from './caller.ts';
import type { ReadMemo } from './wire-response.ts';

export interface ForwardedIdempotency {
  readonly key: string;
  /** The service says that its response is that of an earlier request. */
  onReplayed(): void;
}

/** What a request carries from the API key to the port: its caller, its id, and when its result is no longer needed. */
export interface RequestContext {
  readonly caller: Caller;
  /** Also the `x-request-id` header of the response. */
  readonly requestId: string;
  /** Aborts when the client disconnects or the gateway stops waiting. */
  readonly signal: AbortSignal;
  /** Calls back when the response has been sent, or its client is gone. A stream has no such end. */
  readonly whenClosed?: ((callback: () => void) => void) | undefined;
  /** The client's `Idempotency-Key`, when it is the service behind the gateway that stores responses. */
  readonly idempotency?: ForwardedIdempotency | undefined;
  /**
   * Hands responses over: what was read with it as bytes is not fetched again when its value is wanted. Only a request
   * that changes nothing has one.
   */
  readonly responses?: ReadMemo | undefined;
  /**
   * The generation of the data in which the response is to be cached (see cache/response-store.ts): what is read for
   * it joins no read that began in another.
   */
  readonly generation?: string | undefined;
}
