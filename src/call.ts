import type { Caller } from './accounts/shapes.ts';

/** What every call of a port carries: who asks, under which request id, and when it is no longer wanted. */
export interface Call {
  readonly caller: Caller;
  readonly requestId: string;
  /** Aborts when the client goes away or the gateway stops waiting. */
  readonly signal: AbortSignal;
  /** The client's `Idempotency-Key`, where it is not ours to honour but a service's behind us. */
  readonly idempotencyKey?: string | undefined;
}
