/**
 * Choices that are made of bytes. A generator that makes them can be written as plain code, and fast-check, which makes
 * the bytes, finds a smaller case by leaving bytes out: when there are no more, the first option is chosen.
 */
export class Choices {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @returns an integer from 0 up to a limit of at most 256 (exclusive) */
  below(limit: number): number {
    const byte = this.#bytes[this.#at++] ?? 0;
    return Math.floor((byte * limit) / 256);
  }

  /** @returns a number from 0 up to 1 (exclusive) */
  fraction(): number {
    return (this.below(256) * 256 + this.below(256)) / 65_536;
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.below(times) === times - 1;
  }

  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T;
  }

  /** A list of so many entries at most, and so many at least. */
  list<T>(most: number, make: (at: number) => T, least = 0): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, at) => make(at));
  }
}
