import { type Turn, weightOfBytes } from './lib/fair-turns.ts';
import { SmallMap } from './lib/small-map.ts';

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
