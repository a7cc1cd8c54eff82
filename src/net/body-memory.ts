/**
 * Memory for the bodies of responses, which is used again. V8 counts each buffer of a socket as external memory, and marks the
 * whole heap for every 64 MB of them: a third of the CPU time of large pages, and most of their slowest responses.
 */

/** As much as one read of a socket brings at most. */
const slabBytes = 65_536;
/** Slabs that nobody uses, and that are kept: as many as thirty pages of 250 KB take. */
const maxIdleSlabs = 128;

/** Bytes that several may use. Whoever uses them later than the last of them gets an error, and never the next body. */
export class Body {
  readonly #chunks: readonly Uint8Array[];
  readonly #free: () => void;
  #users = 1;

  /** @param free is called when nobody uses the chunks any more; by default their memory is the collector's */
  constructor(chunks: readonly Uint8Array[], free: () => void = () => undefined) {
    this.#chunks = chunks;
    this.#free = free;
  }

  /** @throws Error if nobody uses it any more */
  get chunks(): readonly Uint8Array[] {
    this.#requireUsers();
    return this.#chunks;
  }

  retain(): void {
    this.#requireUsers();
    this.#users += 1;
  }

  /** To be called once by each user. */
  release(): void {
    this.#requireUsers();
    this.#users -= 1;
    if (this.#users === 0) this.#free();
  }

  #requireUsers(): void {
    if (this.#users === 0) throw new Error('The body has been released');
  }
}

export type ArrivingBody = ReturnType<typeof arrivingBody>;
export type BodyMemory = ReturnType<typeof createBodyMemory>;

/** @param reuse is told of each slab that nobody uses any more */
export function createBodyMemory(reuse: (slab: Uint8Array) => void = () => undefined) {
  const idle: Buffer[] = [];
  let taken = 0;

  function take(): Buffer {
    taken += 1;
    return idle.pop() ?? Buffer.allocUnsafeSlow(slabBytes);
  }

  function give(slabs: Buffer[]): void {
    taken -= slabs.length;
    for (const slab of slabs.splice(0)) {
      reuse(slab);
      if (idle.length < maxIdleSlabs) idle.push(slab);
    }
  }

  return {
    open: () => arrivingBody(take, give),
    get taken() {
      return taken;
    },
  };
}

function arrivingBody(take: () => Buffer, give: (slabs: Buffer[]) => void) {
  const slabs: Buffer[] = [];
  let last: Buffer | undefined;
  let used = 0;
  return {
    append(chunk: Uint8Array) {
      for (let from = 0; from < chunk.length; ) {
        if (last === undefined || used === slabBytes) {
          last = take();
          slabs.push(last);
          used = 0;
        }
        const to = Math.min(chunk.length, from + slabBytes - used);
        last.set(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to), used);
        used += to - from;
        from = to;
      }
    },
    whole() {
      const own = slabs.splice(0);
      const chunks = own.map((slab) => (slab === last ? slab.subarray(0, used) : slab));
      return new Body(chunks, () => give(own));
    },
    discard: () => give(slabs),
  };
}
