/**
 * Bodies of requests, from their first byte until they can be parsed. A client needs no key to send one, and may take its
 * time: of large ones, all together have no more bytes than a process can hold.
 */
import { retrySoon, ServiceError } from '../kernel/errors.ts';

/** 1 MiB. */
export const maxBodyBytes = 1_048_576;

/** Of one body: node:http makes a buffer and an event of each, whatever its length. */
export const maxBodyChunks = 16_384;

interface BodyLimits {
  /** Of all bodies together. */
  readonly bytes: number;
  /** Up to this length a body does not count: a connection takes as much memory without one. */
  readonly small: number;
}

export const bodyLimits: BodyLimits = { bytes: 64 * maxBodyBytes, small: 16_384 };

export class RequestBodies {
  readonly #limits: BodyLimits;
  /** Those that count and are not whole yet, the oldest first. */
  readonly #arriving = new Set<RequestBody>();
  #bytes = 0;

  constructor(limits: BodyLimits = bodyLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param refuse is called at most once, also within `append`; the body holds nothing then */
  open(refuse: (failure: ServiceError) => void): RequestBody {
    return new RequestBody(this, refuse);
  }

  /**
   * Counts an arriving body. Beyond the limit the one goes that began first: whoever sends a body arrives with it in moments,
   * unless it wants the memory.
   */
  grow(body: RequestBody, from: number, to: number): void {
    if (to <= this.#limits.small) return;
    this.#arriving.add(body);
    this.#bytes += from <= this.#limits.small ? to : to - from;
    while (this.#bytes > this.#limits.bytes) {
      const [oldest = body] = this.#arriving;
      oldest.refuse(tooManyBodies());
    }
  }

  /** It is whole, and is never refused for others. */
  complete(body: RequestBody, length: number): void {
    if (length > this.#limits.small) this.#arriving.delete(body);
  }

  forget(body: RequestBody, length: number): void {
    if (length <= this.#limits.small) return;
    this.#arriving.delete(body);
    this.#bytes -= length;
  }
}

/** Chunks are copied into one buffer: the smallest takes hundreds of bytes of its own. */
class RequestBody {
  readonly #bodies: RequestBodies;
  readonly #refuse: (failure: ServiceError) => void;
  #memory: Buffer = empty;
  #length = 0;
  #chunks = 0;

  constructor(bodies: RequestBodies, refuse: (failure: ServiceError) => void) {
    this.#bodies = bodies;
    this.#refuse = refuse;
  }

  append(chunk: Buffer): void {
    const from = this.#length;
    const to = from + chunk.length;
    this.#chunks += 1;
    if (to > maxBodyBytes || this.#chunks > maxBodyChunks) {
      this.refuse(to > maxBodyBytes ? tooLarge() : tooManyChunks());
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

  /** It stays counted until it is released. */
  whole(): Buffer {
    this.#bodies.complete(this, this.#length);
    return this.#memory.length === this.#length ? this.#memory : this.#memory.subarray(0, this.#length);
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
/** Of memory for a body of several chunks. */
const firstBytes = 4_096;

export const tooLarge = (): ServiceError =>
  new ServiceError('content_too_large', { detail: `A request body can have at most ${maxBodyBytes} bytes.` });

const tooManyChunks = (): ServiceError =>
  new ServiceError('content_too_large', { detail: `A request body can have at most ${maxBodyChunks} chunks.` });

const tooManyBodies = (): ServiceError =>
  new ServiceError('service_unavailable', {
    detail: 'Too many large request bodies arrive at once. Try again later.',
    headers: retrySoon,
  });
