import { alignUp } from './kernel.ts';
import { planBase } from './layout.ts';

/** The kernel's memory from `planBase` on, while it is written. Addresses are the kernel's. */
export class PlanMemory {
  #bytes = Buffer.alloc(4_096);
  #end = 0;

  /** @returns the address of zeros, aligned to a block and filling its last one */
  allocate(bytes: number): number {
    const start = this.#end;
    this.#end = start + alignUp(bytes);
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

  text(text: string): { readonly address: number; readonly length: number } {
    const bytes = encodeUtf8(text);
    const address = this.allocate(bytes.length);
    this.write(address, bytes);
    return { address, length: bytes.length };
  }

  /** A copy: the memory may be twice as large. */
  written(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#end));
  }
}

/** @throws Error for a lone surrogate, which UTF-8 cannot encode */
export function encodeUtf8(text: string): Buffer {
  if (!text.isWellFormed()) throw new Error(`The text ${JSON.stringify(text)} is not well-formed`);
  return Buffer.from(text);
}
