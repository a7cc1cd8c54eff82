import { readFileSync } from 'node:fs';
import type { EncodedPlan } from './encoded-plan.ts';
import { instantOf } from './instant.ts';
import {
  blockBytes,
  frameUnselected,
  keyInside,
  keyNext,
  keyOwner,
  keyValue,
  neverKey,
  ownedByNone,
  parameterBytes,
  parameterListCount,
  parameterLists,
  planBase,
  printFrame,
  printFrom,
  printInner,
  printInnerEnd,
  printStep,
  printTo,
  slack,
} from './layout.ts';
import type { WindowRange } from './splice.ts';

interface KernelExports {
  reserve(end: number): number;
  scan(shape: number, start: number, length: number): number;
  tapeEnd(): number;
  print(address: number, out: number, most: number): number;
}

const pageBytes = 65_536;
/** Fits most documents with their output; memory costs nothing until it is used. */
const initialPages = 16;

let compiledModule: WebAssembly.Module | undefined;

/**
 * Compiled once per process: gateways that start and stop in one would compile and drop it repeatedly, and dropping
 * WebAssembly beside threads can crash V8 (nodejs/node#64500).
 * @throws Error if the file is missing or damaged
 */
export function compileKernel(): WebAssembly.Module {
  compiledModule ??= new WebAssembly.Module(readFileSync(new URL('./splice.wasm', import.meta.url)));
  return compiledModule;
}

/** @returns undefined if the address space is exhausted */
export function createKernel(maxBytes: number, module: WebAssembly.Module): Kernel | undefined {
  const maximum = Math.floor(maxBytes / pageBytes);
  try {
    const memory = new WebAssembly.Memory({ initial: Math.min(initialPages, maximum), maximum });
    const { exports } = new WebAssembly.Instance(module, {
      env: { memory, printNumber: numberPrinter(memory), printEpoch: epochPrinter(memory) },
    });
    return new Kernel(exports as unknown as KernelExports, memory, maximum * pageBytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Prints the number at one address to another, as JSON.stringify does. @returns its length; 0 beyond doubles */
const numberPrinter =
  (memory: WebAssembly.Memory) =>
  (start: number, length: number, out: number): number => {
    const bytes = Buffer.from(memory.buffer);
    const value = Number(bytes.toString('latin1', start, start + length));
    return Number.isFinite(value) ? bytes.write(String(value), out, 'latin1') : 0;
  };

/** Prints the time of the number at one address to another, quoted. @returns its length; 0 for no time */
const epochPrinter =
  (memory: WebAssembly.Memory) =>
  (start: number, length: number, out: number): number => {
    const bytes = Buffer.from(memory.buffer);
    const instant = instantOf(Number(bytes.toString('latin1', start, start + length)));
    return instant === undefined ? 0 : bytes.write(`"${instant}"`, out, 'latin1');
  };

export class Kernel {
  readonly calls: KernelExports;
  readonly #memory: WebAssembly.Memory;
  readonly #maxBytes: number;
  #bytes: Buffer;
  #words: Uint32Array;
  #loaded: EncodedPlan | undefined;

  constructor(calls: KernelExports, memory: WebAssembly.Memory, maxBytes: number) {
    this.calls = calls;
    this.#memory = memory;
    this.#maxBytes = maxBytes;
    this.#bytes = Buffer.from(memory.buffer);
    this.#words = new Uint32Array(memory.buffer);
  }

  get loaded(): EncodedPlan | undefined {
    return this.#loaded;
  }

  get size(): number {
    return this.bytes.length;
  }

  /** Memory that has grown needs another view. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.#memory.buffer);
    return this.#bytes;
  }

  get words(): Uint32Array {
    if (this.#words.length === 0) this.#words = new Uint32Array(this.#memory.buffer);
    return this.#words;
  }

  word(address: number): number {
    return this.words[address >>> 2] as number;
  }

  text(start: number, length: number): string {
    return this.bytes.toString('utf8', start, start + length);
  }

  /** Grows the memory up to an address. @returns whether it could */
  reserve(end: number): boolean {
    return end <= this.#maxBytes && this.calls.reserve(end) !== 0;
  }

  /** @returns the address behind the plan, or undefined if it does not fit */
  load(plan: EncodedPlan): number | undefined {
    const end = planBase + plan.bytes.length + slack;
    if (this.#loaded === plan) return end;
    if (!this.reserve(end)) return undefined;
    const { bytes, words } = this;
    // Forgets keys of other documents.
    bytes.fill(0, neverKey, planBase);
    words[(neverKey + keyOwner) >>> 2] = ownedByNone;
    words[(neverKey + keyValue) >>> 2] = frameUnselected;
    words[(neverKey + keyNext) >>> 2] = neverKey;
    words[(neverKey + keyInside) >>> 2] = neverKey;
    bytes.set(plan.bytes, planBase);
    this.#loaded = plan;
    return end;
  }
}

/** The next block's address, or a size in whole blocks. */
export const alignUp = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes;

export const mostUtf8Bytes = (text: string): number => text.length * 3;

export interface PrintRecord {
  readonly step: number;
  readonly frame: number;
  readonly window: WindowRange;
  /** Parameters by index, then lists of those by item. */
  readonly lists: readonly (readonly string[])[];
  /** Records that are written before this one. */
  readonly inner?: readonly PrintRecord[] | undefined;
  /** Where it was written. */
  address: number;
}

/** Most bytes that {@link writeRecords} may need. */
export function bytesOfRecords(records: readonly PrintRecord[]): number {
  let bytes = 0;
  for (const { lists, inner } of records) {
    bytes += parameterLists + (inner?.length ?? 0) * 4 + lists.length * parameterBytes + blockBytes;
    for (const texts of lists) {
      for (const text of texts) bytes += parameterBytes + mostUtf8Bytes(text);
    }
  }
  return bytes;
}

/** @returns the address of the last one */
export function writeRecords(records: readonly PrintRecord[], kernel: Kernel, address: number): number {
  let start = address;
  let end = address;
  for (const record of records) {
    start = alignUp(end);
    record.address = start;
    end = writeRecord(record, kernel, start);
  }
  return start;
}

const noRecords: readonly PrintRecord[] = [];

/** @returns the address behind it */
function writeRecord(record: PrintRecord, { words, bytes }: Kernel, at: number): number {
  const { step, frame, window, lists, inner = noRecords } = record;
  words[(at + printStep) >>> 2] = step;
  words[(at + printFrame) >>> 2] = frame;
  words[(at + printFrom) >>> 2] = clamped(window.from);
  words[(at + printTo) >>> 2] = clamped(window.to);
  words[(at + parameterListCount) >>> 2] = lists.length;
  let header = (at + parameterLists) >>> 2;
  let place = header + lists.length * 2;
  words[(at + printInner) >>> 2] = place << 2;
  for (const each of inner) words[place++] = each.address;
  words[(at + printInnerEnd) >>> 2] = place << 2;
  const firstText = place;
  for (const { length } of lists) {
    words[header++] = place << 2;
    words[header++] = length;
    place += length * 2;
  }
  const start = place << 2;
  place = firstText;
  // One write is faster than one per text; for ASCII, the lengths are known.
  let joined = '';
  for (const texts of lists) for (const each of texts) joined += each;
  const areAscii = bytes.write(joined, start) === joined.length;
  let text = start;
  for (const texts of lists) {
    for (const each of texts) {
      const length = areAscii ? each.length : bytes.write(each, text);
      words[place++] = text;
      words[place++] = length;
      text += length;
    }
  }
  return text;
}

/** To what the kernel takes for a number that is not negative. */
export const clamped = (value: number): number => Math.min(Math.max(value, 0), 0x7fff_ffff);
