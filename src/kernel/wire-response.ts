import type { JsonDocument } from '../splice/splicer.ts';
import { type Turn, weightOfBytes } from './lib/fair-turns.ts';

/** Shared memory, used again when all users have released it. */
export interface Shared {
  retain(): void;
  /** Once by each user. */
  release(): void;
}

export interface WireResponse extends Shared {
  /** Shared: not to be changed. @throws Error after its release */
  readonly body: JsonDocument;
  /** Parsed and checked once, in the contract's terms; shared. @throws ServiceError, the same each time */
  value(): object;
}

/** The value, parsed in its turn. @throws ServiceError as {@link WireResponse.value} */
export function readValue(response: WireResponse, turn: Turn | undefined): object | Promise<object> {
  const waiting = turn?.(weightOfBytes(bytesOf(response.body))) ?? null;
  return waiting === null ? response.value() : waiting.then(() => response.value());
}

/** Of a text, its length. */
export const bytesOf = (body: JsonDocument): number =>
  typeof body === 'string' ? body.length : body.reduce((bytes, { length }) => bytes + length, 0);

/** A request's reads by their subjects, failures included. It uses them until its release. */
export class ReadMemo {
  #reads: Map<string, Promise<WireResponse>> | undefined;

  get(what: string): Promise<WireResponse> | undefined {
    return this.#reads?.get(what);
  }

  set(what: string, read: Promise<WireResponse>): void {
    const reads = this.#reads ?? new Map<string, Promise<WireResponse>>();
    this.#reads = reads.set(what, read);
  }

  /** Later reads are forgotten. */
  release(): void {
    for (const read of this.#reads?.values() ?? []) read.then(releaseOne, ignore);
    this.#reads = undefined;
  }
}

const ignore = (): void => undefined;

const releaseOne = (response: WireResponse): void => response.release();
