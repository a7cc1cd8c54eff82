/**
 * Bodies of requests, from their first byte until they are parsed. A client needs no key to send one, and may take its
 * time: of large ones, all together have no more bytes than a process can hold, and clients share them by address.
 */
import { retrySoon, ServiceError } from '../kernel/errors.ts';
import type { Waiter } from '../kernel/lib/fair-turns.ts';
import { addTo, type Tally } from '../kernel/lib/tally.ts';
import { clientOf } from '../net/addresses.ts';

/** 1 MiB. */
export const maxBodyBytes = 1_048_576;

/** Bytes of a body or message without a caller, or none so far: what is unfinished waits in memory, and JSON takes long. */
export const maxStrangerBytes = 16_384;

/** Bounds of one body. */
export interface BodyBound {
  readonly bytes: number;
  readonly refusal: () => ServiceError;
}

/** Chunks of one body: node:http makes a buffer and an event of each, whatever its length. */
export const maxBodyChunks = 16_384;

interface BodyLimits {
  /** Bytes of all bodies together. */
  readonly bytes: number;
  /** Up to this length a body does not count: a connection takes as much memory without one. */
  readonly small: number;
}

export const bodyLimits: BodyLimits = { bytes: 64 * maxBodyBytes, small: 16_384 };

/** Looked at once a body counts: most never do. */
interface Sender {
  /** Undefined if the connection had gone before anybody asked. */
  readonly ip: string | undefined;
}

/** Whatever counts. */
export interface CountedBody {
  readonly sender: Sender;
  /** Has to free the memory, and to be forgotten. */
  refuse(failure: ServiceError): void;
}

export class RequestBodies {
  readonly #limits: BodyLimits;
  /** The client of each body that counts, the oldest body first. */
  readonly #clients = new Map<CountedBody, string>();
  readonly #bytesOf: Tally = new Map();
  #bytes = 0;

  constructor(limits: BodyLimits = bodyLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param refuse is called at most once, also within `append`, until the body is taken; the body holds nothing then */
  open(sender: Sender, refuse: (failure: ServiceError) => void, bound: BodyBound = anyBody): RequestBody {
    return new RequestBody(this, sender, refuse, bound);
  }

  /**
   * Counts a body that becomes longer. Beyond the limit, the client with the most bytes loses the body that it began first,
   * whole or not: nobody loses one to a client that takes more. An honest body arrives within moments.
   */
  grow(body: CountedBody, from: number, to: number): void {
    if (to <= this.#limits.small) return;
    let client = this.#clients.get(body);
    if (client === undefined) {
      client = clientOf(body.sender.ip ?? '');
      this.#clients.set(body, client);
    }
    this.#count(client, from <= this.#limits.small ? to : to - from);
    while (this.#bytes > this.#limits.bytes) this.#refuseOldest(this.#largest(client));
  }

  /** It is parsed, refused, or broken off. */
  forget(body: CountedBody, length: number): void {
    if (length <= this.#limits.small) return;
    const client = this.#clients.get(body);
    if (client === undefined) return;
    this.#clients.delete(body);
    this.#count(client, -length);
  }

  #count(client: string, more: number): void {
    this.#bytes += more;
    addTo(this.#bytesOf, client, more);
  }

  /** @param growing of several it is the one */
  #largest(growing: string): string {
    let largest = growing;
    let most = this.#bytesOf.get(growing) ?? 0;
    for (const [client, bytes] of this.#bytesOf) {
      if (bytes > most) [largest, most] = [client, bytes];
    }
    return largest;
  }

  #refuseOldest(wanted: string): void {
    for (const [body, client] of this.#clients) {
      if (client !== wanted) continue;
      body.refuse(tooManyBodies());
      return;
    }
  }
}

/** Chunks are copied into one buffer: the smallest takes hundreds of bytes of its own. */
class RequestBody implements CountedBody, Waiter {
  readonly sender: Sender;
  readonly #bodies: RequestBodies;
  readonly #refuse: (failure: ServiceError) => void;
  readonly #bound: BodyBound;
  #memory: Buffer = empty;
  #length = 0;
  #chunks = 0;

  constructor(bodies: RequestBodies, sender: Sender, refuse: (failure: ServiceError) => void, bound: BodyBound) {
    this.sender = sender;
    this.#bodies = bodies;
    this.#refuse = refuse;
    this.#bound = bound;
  }

  get length(): number {
    return this.#length;
  }

  get isGone(): boolean {
    return this.#length === 0;
  }

  append(chunk: Buffer): void {
    const from = this.#length;
    const to = from + chunk.length;
    this.#chunks += 1;
    const { bytes, refusal } = this.#bound;
    if (to > bytes || this.#chunks > maxBodyChunks) {
      this.refuse(to > bytes ? refusal() : tooManyChunks());
      return;
    }
    // Most bodies are one chunk.
    if (from === 0) this.#memory = chunk;
    else {
      if (to > this.#memory.length) this.#enlarge(to);
      this.#memory.set(chunk, from);
    }
    this.#length = to;
    this.#bodies.grow(this, from, to);
  }

  /** Until then it counts, and may be refused. */
  take(): Buffer {
    const bytes = this.#memory.length === this.#length ? this.#memory : this.#memory.subarray(0, this.#length);
    this.release();
    return bytes;
  }

  refuse(failure: ServiceError): void {
    this.release();
    this.#refuse(failure);
  }

  /** May be called again. */
  release(): void {
    this.#bodies.forget(this, this.#length);
    this.#length = 0;
    this.#memory = empty;
  }

  #enlarge(least: number): void {
    const memory = Buffer.allocUnsafeSlow(Math.min(maxBodyBytes, Math.max(2 * least, firstBytes)));
    this.#memory.copy(memory, 0, 0, this.#length);
    this.#memory = memory;
  }
}

const empty = Buffer.alloc(0);
/** Bytes first allocated for a body of several chunks. */
const firstBytes = 4_096;

const tooLarge = (): ServiceError =>
  new ServiceError('content_too_large', { detail: `A request body can have at most ${maxBodyBytes} bytes.` });

export const anyBody: BodyBound = { bytes: maxBodyBytes, refusal: tooLarge };

const tooManyChunks = (): ServiceError =>
  new ServiceError('content_too_large', { detail: `A request body can have at most ${maxBodyChunks} chunks.` });

const tooManyBodies = (): ServiceError =>
  new ServiceError('service_unavailable', {
    detail: 'Too many large request bodies wait at once. Try again later.',
    headers: retrySoon,
  });
