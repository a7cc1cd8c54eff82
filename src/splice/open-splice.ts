import type { EncodedPlan, EncodedShape, EncodedSlot } from './encoded-plan.ts';
import type { Kernel } from './kernel.ts';
import { alignUp, mostUtf8Bytes } from './kernel.ts';
import {
  blockBytes,
  kindAbsent,
  kindBits,
  kindList,
  kindMask,
  kindObject,
  kindOther,
  parameterBytes,
  parameterListCount,
  parameterLists,
  refusedMissing,
  refusedNotExpected,
  refusedNotJson,
  refusedTooDeep,
  refusedTooLarge,
  slack,
  slotStart,
  slotWord,
} from './layout.ts';
import type { PrintOptions, Refusal, Scanned, Splice } from './splice.ts';

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
  /** In bytes. */
  readonly maxOutput: number;
  readonly release: (kernel: Kernel) => void;
}

/** @returns undefined if the plan does not fit */
export function openSplice(plan: EncodedPlan, kernel: Kernel, options: OpenSpliceOptions): Splice | undefined {
  const end = kernel.load(plan);
  if (end === undefined || !kernel.reserve(end + blockBytes + parametersRoom)) return undefined;
  return new OpenSplice(plan, kernel, alignUp(end), options);
}

/** Memory from front to back: plan, documents with their tapes, output, which moves behind what is read meanwhile. */
class OpenSplice implements Splice {
  readonly #plan: EncodedPlan;
  readonly #release: (kernel: Kernel) => void;
  readonly #maxOutput: number;
  /** Undefined once closed. */
  #kernel: Kernel | undefined;
  readonly #parameters: number;
  #top: number;
  #outStart: number;
  #outEnd: number;

  constructor(plan: EncodedPlan, kernel: Kernel, parameters: number, { maxOutput, release }: OpenSpliceOptions) {
    this.#plan = plan;
    this.#maxOutput = maxOutput;
    this.#kernel = kernel;
    this.#release = release;
    this.#parameters = parameters;
    this.#top = this.#outStart = this.#outEnd = parameters + parametersRoom;
  }

  scan(document: readonly Uint8Array[]): Scanned | Refusal {
    const kernel = this.#open();
    let length = 0;
    for (const chunk of document) length += chunk.length;
    // The kernel clears the block before a document.
    const start = alignUp(this.#top) + blockBytes;
    if (!kernel.reserve(start + length + 2 * slack)) return 'too_large';
    const { bytes } = kernel;
    let at = start;
    for (const chunk of document) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    const { root } = this.#plan;
    const frame = this.#run(() => kernel.calls.scan(root.address, start, length));
    if (typeof frame === 'string') return frame;
    this.#top = kernel.calls.tapeEnd();
    return new ScannedDocument(this, frame, root, () => this.#open());
  }

  print(template: number, scanned: Scanned, { from, to, parameters, itemParameters }: PrintOptions): Refusal | null {
    const kernel = this.#open();
    const step = this.#plan.templates[template];
    if (step === undefined) throw new RangeError(`The plan has no template ${template}`);
    if (!(scanned instanceof ScannedDocument && scanned.splice === this)) {
      throw new TypeError('The document was read by another splice');
    }
    const lists = [parameters, ...itemParameters];
    const needed = parametersBytes(lists);
    const address = needed <= parametersRoom ? this.#parameters : this.#take(kernel, needed);
    if (address === undefined || !this.#moveOutput(kernel, 0)) return 'too_large';
    writeParameters(lists, kernel, address);
    const out = this.#outEnd;
    const most = index(this.#outStart + this.#maxOutput);
    const end = this.#run(() => kernel.calls.print(step, scanned.frame, index(from), index(to), address, out, most));
    if (typeof end === 'string') return end;
    this.#top = this.#outEnd = end;
    return null;
  }

  text(text: string): Refusal | null {
    const kernel = this.#open();
    if (!this.#moveOutput(kernel, mostUtf8Bytes(text))) return 'too_large';
    const end = this.#outEnd + kernel.bytes.write(text, this.#outEnd);
    if (end - this.#outStart > this.#maxOutput) return 'too_large';
    this.#top = this.#outEnd = end;
    return null;
  }

  output(): Uint8Array {
    return this.#open().bytes.subarray(this.#outStart, this.#outEnd);
  }

  close(): void {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    if (kernel !== undefined) this.#release(kernel);
  }

  #open(): Kernel {
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
  #run(call: () => number): number | Refusal {
    try {
      const result = call();
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

/** Clamped for the kernel. */
const index = (value: number): number => Math.min(Math.max(value, 0), 0x7fff_ffff);

/** Most bytes that {@link writeParameters} may need. */
function parametersBytes(lists: readonly (readonly string[])[]): number {
  let bytes = parameterLists + lists.length * parameterBytes + blockBytes;
  for (const texts of lists) {
    for (const text of texts) bytes += parameterBytes + mostUtf8Bytes(text);
  }
  return bytes;
}

function writeParameters(lists: readonly (readonly string[])[], { words, bytes }: Kernel, address: number): void {
  words[(address + parameterListCount) >>> 2] = lists.length;
  let header = (address + parameterLists) >>> 2;
  let place = header + lists.length * 2;
  for (const { length } of lists) {
    words[header++] = place << 2;
    words[header++] = length;
    place += length * 2;
  }
  const start = place << 2;
  place = header;
  // One write is faster than one per text; for ASCII, the lengths are known.
  const joined = lists.map((texts) => texts.join('')).join('');
  const areAscii = bytes.write(joined, start) === joined.length;
  let at = start;
  for (const texts of lists) {
    for (const text of texts) {
      const length = areAscii ? text.length : bytes.write(text, at);
      words[place++] = at;
      words[place++] = length;
      at += length;
    }
  }
}

class ScannedDocument implements Scanned {
  readonly splice: Splice;
  readonly frame: number;
  readonly #shape: EncodedShape;
  readonly #kernel: () => Kernel;

  /** @param kernel throws once the splice is closed, as the memory may be someone else's */
  constructor(splice: Splice, frame: number, shape: EncodedShape, kernel: () => Kernel) {
    this.splice = splice;
    this.frame = frame;
    this.#shape = shape;
    this.#kernel = kernel;
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
      const start = this.#kernel().word(frame + slot.offset + slotStart);
      if (at === path.length - 1) return isLeaf(kind) ? this.#kernel().text(start, lengthIn(word)) : null;
      if (kind !== kindObject || slot.kind !== 'object') return undefined;
      frame = start;
      shape = slot.shape;
    }
    return undefined;
  }

  #word(frame: number, { offset }: EncodedSlot): number {
    return this.#kernel().word(frame + offset + slotWord);
  }
}

const kindIn = (word: number): number => word & kindMask;
const lengthIn = (word: number): number => word >>> kindBits;

const isLeaf = (kind: number): boolean => kind !== kindObject && kind !== kindList && kind !== kindOther;
