import type { Caller } from './caller.ts';
import type { AtomicKey } from './idempotency.ts';
import type { Turn } from './lib/fair-turns.ts';
import type { ReadMemo } from './wire-response.ts';

export interface ForwardedIdempotency {
  readonly key: string;
  /** The response is that of an earlier request. */
  onReplayed(): void;
}

/** What an operation has used of its budgets so far. */
export interface Spent {
  /** Of a service. */
  calls: number;
  /** Monotonic milliseconds. */
  firstCallAt: number | null;
  /** Of large rows, held or waited for. */
  readBytes: number;
  /** Of them, those held. */
  heldBytes: number;
}

export const nothingSpent = (): Spent => ({ calls: 0, firstCallAt: null, readBytes: 0, heldBytes: 0 });

export interface RequestContext {
  readonly caller: Caller;
  readonly requestId: string;
  /** One for the operation, whatever its parts have besides. */
  readonly spent: Spent;
  /** Aborts when the client disconnects or the gateway stops waiting. */
  readonly signal: AbortSignal;
  /** Calls back once the response is printed: what was read for it is of no more use. Streams have no such end. */
  readonly whenPrinted?: ((callback: () => void) => void) | undefined;
  /** Without it, nothing waits for the event loop. */
  readonly turn?: Turn | undefined;
  /** The idempotency key of an atomic command. */
  readonly atomicKey?: AtomicKey | undefined;
  /** With forwarded keys: the service stores responses. */
  readonly idempotency?: ForwardedIdempotency | undefined;
  /** Responses by read: bytes are not fetched again for their value. Requests without effect only. */
  readonly responses?: ReadMemo | undefined;
  /** The data generation of a response to be cached (cache/response-store.ts): joins no read of another one. */
  readonly generation?: string | undefined;
}

/** The end of {@link RequestContext.whenPrinted}: who waits is called back then, who comes later at once. */
export class Printing {
  #waiting: (() => void)[] | null = [];

  readonly whenPrinted = (callback: () => void): void => {
    if (this.#waiting === null) callback();
    else this.#waiting.push(callback);
  };

  end(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const callback of waiting) callback();
  }
}
