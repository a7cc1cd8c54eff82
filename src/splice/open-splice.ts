import type { EncodedPlan, EncodedShape, EncodedSlot } from './encoded-plan.ts';
import {
  alignUp,
  bytesOfRecords,
  clamped,
  type Kernel,
  mostUtf8Bytes,
  type PrintRecord,
  writeRecords,
} from './kernel.ts';
import {
  blockBytes,
  kindAbsent,
  kindBits,
  kindList,
  kindMask,
  kindObject,
  kindOther,
  refusedMissing,
  refusedNotExpected,
  refusedNotJson,
  refusedTooDeep,
  refusedTooLarge,
  slack,
  slotStart,
  slotWord,
} from './layout.ts';
import type { JsonDocument, Print, PrintOptions, Refusal, Scanned, Splice, WindowRange } from './splice.ts';

const refusals: Readonly<Record<number, Refusal>> = {
  [refusedNotJson]: 'not_json',
  [refusedNotExpected]: 'not_expected',
  [refusedMissing]: 'missing',
  [refusedTooDeep]: 'too_deep',
  [refusedTooLarge]: 'too_large',
};

/** Space for a print's parameters behind the plan: as a rule they fit, and the output need not move. */
const parametersRoom = 16_384;

interface OpenSpliceOptions {
  readonly maxOutputBytes: number;
  readonly release: (kernel: Kernel) => void;
}

/** @returns undefined if the plan does not fit */
export function openSplice(plan: EncodedPlan, kernel: Kernel, options: OpenSpliceOptions): Splice | undefined {
  const end = kernel.load(plan);
  if (end === undefined || !kernel.reserve(end + blockBytes + parametersRoom)) return undefined;
  return new OpenSplice(plan, kernel, alignUp(end), options);
}

function bytesOfDocument(document: JsonDocument): number {
  if (typeof document === 'string') return Buffer.byteLength(document);
  let length = 0;
  for (const chunk of document) length += chunk.length;
  return length;
}

function writeChunks(chunks: readonly Uint8Array[], bytes: Uint8Array, start: number): void {
  let at = start;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
}

/** Memory from front to back: plan, documents with their tapes, output, which moves behind what is read meanwhile. */
class OpenSplice implements Splice {
  readonly #plan: EncodedPlan;
  readonly #release: (kernel: Kernel) => void;
  readonly #maxOutputBytes: number;
  #kernel: Kernel | undefined;
  readonly #parameters: number;
  #top: number;
  #outStart: number;
  #outEnd: number;

  constructor(plan: EncodedPlan, kernel: Kernel, parameters: number, { maxOutputBytes, release }: OpenSpliceOptions) {
    this.#plan = plan;
    this.#maxOutputBytes = maxOutputBytes;
    this.#kernel = kernel;
    this.#release = release;
    this.#parameters = parameters;
    this.#top = this.#outStart = this.#outEnd = parameters + parametersRoom;
  }

  scan(document: JsonDocument): Scanned | Refusal {
    const { kernel } = this;
    const length = bytesOfDocument(document);
    // The kernel clears the block before a document.
    const start = alignUp(this.#top) + blockBytes;
    if (!kernel.reserve(start + length + 2 * slack)) return 'too_large';
    const { bytes } = kernel;
    if (typeof document === 'string') bytes.write(document, start);
    else writeChunks(document, bytes, start);
    const { root } = this.#plan;
    const frame = this.#run(kernel.calls.scan, root.address, start, length);
    if (typeof frame === 'string') return frame;
    this.#top = kernel.calls.tapeEnd();
    return new ScannedDocument(this, frame, root);
  }

  asks(template: number, scanned: Scanned, window: WindowRange): readonly object[] | Refusal {
    const { kernel } = this;
    const step = this.#plan.asks[template];
    if (step === undefined) return [];
    const end = this.#print(kernel, [{ step, frame: this.#frameOf(scanned), window, lists: [], address: 0 }]);
    if (typeof end === 'string') return end;
    const asked: unknown[] = JSON.parse(kernel.text(this.#outEnd, end - this.#outEnd));
    return asked.flat(Number.POSITIVE_INFINITY).filter((each) => typeof each === 'object' && each !== null);
  }

  print(template: number, scanned: Scanned, options: PrintOptions): Refusal | null {
    const { kernel } = this;
    const records: PrintRecord[] = [];
    this.#record(template, scanned, options, records);
    const end = this.#print(kernel, records);
    if (typeof end === 'string') return end;
    this.#top = this.#outEnd = end;
    return null;
  }

  text(text: string): Refusal | null {
    const { kernel } = this;
    if (!this.#moveOutput(kernel, mostUtf8Bytes(text))) return 'too_large';
    const end = this.#outEnd + kernel.bytes.write(text, this.#outEnd);
    if (end - this.#outStart > this.#maxOutputBytes) return 'too_large';
    this.#top = this.#outEnd = end;
    return null;
  }

  output(): Uint8Array {
    return this.kernel.bytes.subarray(this.#outStart, this.#outEnd);
  }

  close(): void {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    if (kernel !== undefined) this.#release(kernel);
  }

  /** Records a print behind those in it, each once. @param known records of prints; the outermost is in none */
  #record(
    template: number,
    scanned: Scanned,
    options: PrintOptions,
    records: PrintRecord[],
    known?: Map<PrintOptions, PrintRecord>,
  ): PrintRecord {
    const inner = options.inner?.length ? this.#recordAll(options.inner, records, known) : undefined;
    const step = this.#plan.templates[template];
    if (step === undefined) throw new RangeError(`The plan has no template ${template}`);
    const { parameters, itemParameters } = options;
    const lists = itemParameters.length === 0 ? [parameters] : [parameters, ...itemParameters];
    const record = { step, frame: this.#frameOf(scanned), window: options, lists, inner, address: 0 };
    records.push(record);
    return record;
  }

  #recordAll(
    prints: readonly Print[],
    records: PrintRecord[],
    known = new Map<PrintOptions, PrintRecord>(),
  ): readonly PrintRecord[] {
    return prints.map((print) => {
      const record = known.get(print) ?? this.#record(print.template, print.scanned, print, records, known);
      known.set(print, record);
      return record;
    });
  }

  #frameOf(scanned: Scanned): number {
    if (scanned instanceof ScannedDocument && scanned.splice === this) return scanned.frame;
    throw new TypeError('The document was read by another splice');
  }

  /** Prints the last of the records behind the output. @returns the end of what it printed */
  #print(kernel: Kernel, records: readonly PrintRecord[]): number | Refusal {
    const needed = bytesOfRecords(records);
    const room = needed <= parametersRoom ? this.#parameters : this.#take(kernel, needed);
    if (room === undefined || !this.#moveOutput(kernel, 0)) return 'too_large';
    const address = writeRecords(records, kernel, room);
    return this.#run(kernel.calls.print, address, this.#outEnd, clamped(this.#outStart + this.#maxOutputBytes));
  }

  /** @throws Error once it is closed, as the memory may be someone else's */
  get kernel(): Kernel {
    if (this.#kernel === undefined) throw new Error('The splice is closed');
    return this.#kernel;
  }

  /** @returns the address of free memory, or undefined if there is not enough */
  #take(kernel: Kernel, bytes: number): number | undefined {
    const start = alignUp(this.#top);
    if (!kernel.reserve(start + bytes)) return undefined;
    this.#top = start + bytes;
    return start;
  }

  #moveOutput(kernel: Kernel, more: number): boolean {
    const length = this.#outEnd - this.#outStart;
    const start = this.#outEnd === this.#top ? this.#outStart : this.#top;
    if (!kernel.reserve(start + length + more)) return false;
    if (start !== this.#outStart) kernel.bytes.copyWithin(start, this.#outStart, this.#outEnd);
    this.#outStart = start;
    this.#top = this.#outEnd = start + length;
    return true;
  }

  /** @throws Error for a fault of the kernel: a trap, or a result that means nothing */
  #run(
    call: (address: number, at: number, length: number) => number,
    address: number,
    at: number,
    length: number,
  ): number | Refusal {
    try {
      const result = call(address, at, length);
      const outcome = result > 0 ? result : refusals[result];
      if (outcome === undefined) throw new RangeError(`It returned ${result}`);
      return outcome;
    } catch (cause) {
      // Its memory cannot be trusted, so it is not given back.
      this.#kernel = undefined;
      throw new Error('The kernel failed', { cause });
    }
  }
}

class ScannedDocument implements Scanned {
  readonly splice: OpenSplice;
  readonly frame: number;
  readonly #shape: EncodedShape;

  constructor(splice: OpenSplice, frame: number, shape: EncodedShape) {
    this.splice = splice;
    this.frame = frame;
    this.#shape = shape;
  }

  count(key: string): number | undefined {
    const slot = this.#shape.slots.get(key);
    if (slot === undefined) return undefined;
    const word = this.#word(this.frame, slot);
    return kindIn(word) === kindList ? lengthIn(word) : undefined;
  }

  leaf(...path: readonly string[]): string | null | undefined {
    let frame = this.frame;
    let shape = this.#shape;
    for (let at = 0; at < path.length; at += 1) {
      const slot = shape.slots.get(path[at] ?? '');
      if (slot === undefined) return undefined;
      const word = this.#word(frame, slot);
      const kind = kindIn(word);
      if (kind === kindAbsent) return undefined;
      const start = this.splice.kernel.word(frame + slot.offset + slotStart);
      if (at === path.length - 1) return isLeaf(kind) ? this.splice.kernel.text(start, lengthIn(word)) : null;
      if (kind !== kindObject || slot.kind !== 'object') return undefined;
      frame = start;
      shape = slot.shape;
    }
    return undefined;
  }

  #word(frame: number, { offset }: EncodedSlot): number {
    return this.splice.kernel.word(frame + offset + slotWord);
  }
}

const kindIn = (word: number): number => word & kindMask;
const lengthIn = (word: number): number => word >>> kindBits;

const isLeaf = (kind: number): boolean => kind !== kindObject && kind !== kindList && kind !== kindOther;
