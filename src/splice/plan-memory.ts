import { planBase } from './layout.ts';
import { aligned } from './sizes.ts';

/** What stands in the kernel's memory from `planBase` on, while it is written. Addresses are those of the kernel. */
export class PlanMemory {
  #bytes = Buffer.alloc(4_096);
  #end = 0;

  /** @returns the address of zeros, aligned to a block, with a block's rest of zeros behind them */
  allocate(bytes: number): number {
    const start = this.#end;
    this.#end = start + aligned(bytes);
    if (this.#end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#end)]);
    return planBase + start;
  }

  get(address: number): number {
    return this.#bytes.readUInt32LE(address - planBase);
  }

  set(address: number, word: number): void {
    this.#bytes.writeUInt32LE(word, address - planBase);
  }

  write(address: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, address - planBase);
  }

  /** @returns the address of a text, and its length in bytes */
  text(text: string): { readonly address: number; readonly length: number } {
    const bytes = utf8(text);
    const address = this.allocate(bytes.length);
    this.write(address, bytes);
    return { address, length: bytes.length };
  }

  /** A copy: the memory may be twice as large. */
  written(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#end));
  }
}

/** @throws Error for half a surrogate pair, which UTF-8 cannot say */
export function utf8(text: string): Buffer {
  if (!text.isWellFormed()) throw new Error(`The text ${JSON.stringify(text)} is not well-formed`);
  return Buffer.from(text);
}
