/** What a request is to operations and ports, and the responses that it reads there. */
import type { Caller } from './caller.ts';
import type { AtomicKey } from './idempotency.ts';
import { type Turn, weightOfBytes } from './lib/fair-turns.ts';
import { SmallMap } from './lib/small-map.ts';

interface ForwardedIdempotency {
  readonly key: string;
  /** The response is that of an earlier request. */
  onReplayed(): void;
}

/** What an operation has used of its budgets so far. */
export interface Spent {
  /** Calls of a service. */
  calls: number;
  /** Monotonic milliseconds. */
  firstCallAt: number | null;
  /** Bytes of large rows, held or waited for. */
  readBytes: number;
  /** Bytes of {@link readBytes} that are held. */
  heldBytes: number;
  /** Slices of lists that are read in slices (store/keyset-pages.ts). */
  slices: number;
}

export const nothingSpent = (): Spent => ({ calls: 0, firstCallAt: null, readBytes: 0, heldBytes: 0, slices: 0 });

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
  /** For the log: an event that the request has emitted. */
  readonly onEmitted?: ((eventId: string) => void) | undefined;
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

export interface Held {
  /** Once by each user. */
  release(): void;
}

/** Shared memory, used again when all users have released it. */
export interface Shared extends Held {
  retain(): void;
}

export interface WireResponse extends Shared {
  /** Shared: not to be changed. @throws Error after its release */
  readonly body: readonly Uint8Array[];
  /** Parsed and checked once, in the contract's terms; shared. @throws ServiceError, the same each time */
  value(): object;
}

/** The value, parsed in its turn. @throws ServiceError as {@link WireResponse.value} */
export function readValue(response: WireResponse, turn: Turn | undefined): object | Promise<object> {
  const waiting = turn?.(weightOfBytes(bytesOf(response.body))) ?? null;
  return waiting === null ? response.value() : waiting.then(() => response.value());
}

export const bytesOf = (body: readonly Uint8Array[]): number => body.reduce((bytes, { length }) => bytes + length, 0);

/** A request's reads by their subjects, failures included. It uses them until its release. Who reads a subject knows its type. */
export class ReadMemo {
  #reads: SmallMap<Promise<Held>> | undefined;

  get isEmpty(): boolean {
    return this.#reads === undefined;
  }

  get(what: string): Promise<Held> | undefined {
    return this.#reads?.get(what);
  }

  set(what: string, read: Promise<Held>): void {
    this.#reads ??= new SmallMap();
    this.#reads.set(what, read);
  }

  /** Later reads are forgotten. */
  release(): void {
    for (const read of this.#reads?.values() ?? []) read.then(releaseOne, ignore);
    this.#reads = undefined;
  }
}

const ignore = (): void => undefined;

const releaseOne = (held: Held): void => held.release();
