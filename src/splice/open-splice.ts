import type { EncodedPlan } from './encoded-plan.ts';
import type { Kernel } from './kernel.ts';
import {
  blockBytes,
  refusedMissing,
  refusedNotExpected,
  refusedNotJson,
  refusedTooDeep,
  refusedTooLarge,
  slack,
} from './layout.ts';
import { parametersBytes, writeParameters } from './parameters.ts';
import { ScannedDocument } from './scanned-document.ts';
import { aligned, mostUtf8Bytes } from './sizes.ts';
import type { PrintOptions, Refusal, Scanned, Splice } from './splice.ts';

/** By what the kernel returns in place of an address. */
const refusals: Readonly<Record<number, Refusal>> = {
  [refusedNotJson]: 'not_json',
  [refusedNotExpected]: 'not_expected',
  [refusedMissing]: 'missing',
  [refusedTooDeep]: 'too_deep',
  [refusedTooLarge]: 'too_large',
};

/** Room behind the plan for the parameters of a print. As a rule they fit, and what was printed need not move. */
const parametersRoom = 16_384;

/**
 * Takes an instance of the kernel into use.
 * @returns undefined if the plan does not fit
 */
export function openSplice(plan: EncodedPlan, kernel: Kernel, release: (kernel: Kernel) => void): Splice | undefined {
  const end = kernel.load(plan);
  if (end === undefined || !kernel.reserve(end + blockBytes + parametersRoom)) return undefined;
  return new OpenSplice(plan, kernel, aligned(end), release);
}

/**
 * Memory is given out from the front to the back: the plan, then documents with their tapes as they come, then what was
 * printed, which grows at its end. When something was read meanwhile, what had been printed moves behind that.
 */
class OpenSplice implements Splice {
  readonly #plan: EncodedPlan;
  readonly #release: (kernel: Kernel) => void;
  /** None when the splice is closed. */
  #kernel: Kernel | undefined;
  readonly #parameters: number;
  /** The first address that is free. */
  #top: number;
  #outStart: number;
  #outEnd: number;

  /** @param parameters the address of the room for parameters, behind the plan */
  constructor(plan: EncodedPlan, kernel: Kernel, parameters: number, release: (kernel: Kernel) => void) {
    this.#plan = plan;
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
    const start = aligned(this.#top) + blockBytes;
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
    const end = this.#run(() => kernel.calls.print(step, scanned.frame, index(from), index(to), address, out));
    if (typeof end === 'string') return end;
    this.#top = this.#outEnd = end;
    return null;
  }

  text(text: string): Refusal | null {
    const kernel = this.#open();
    if (!this.#moveOutput(kernel, mostUtf8Bytes(text))) return 'too_large';
    this.#top = this.#outEnd += kernel.bytes.write(text, this.#outEnd);
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

  /** @returns the address of free memory, or undefined if there is not as much */
  #take(kernel: Kernel, bytes: number): number | undefined {
    const start = aligned(this.#top);
    if (!kernel.reserve(start + bytes)) return undefined;
    this.#top = start + bytes;
    return start;
  }

  /** Makes sure that nothing is behind what was printed, and that so many bytes more fit there. */
  #moveOutput(kernel: Kernel, more: number): boolean {
    const length = this.#outEnd - this.#outStart;
    const start = this.#outEnd === this.#top ? this.#outStart : this.#top;
    if (!kernel.reserve(start + length + more)) return false;
    if (start !== this.#outStart) kernel.bytes.copyWithin(start, this.#outStart, this.#outEnd);
    this.#outStart = start;
    this.#top = this.#outEnd = start + length;
    return true;
  }

  /** Calls the kernel. @throws Error for a fault of the kernel: a trap, or a result that means nothing */
  #run(call: () => number): number | Refusal {
    try {
      const result = call();
      const outcome = result > 0 ? result : refusals[result];
      if (outcome === undefined) throw new RangeError(`It returned ${result}`);
      return outcome;
    } catch (cause) {
      // Its memory is not trusted any more, so it is not given back.
      this.#kernel = undefined;
      throw new Error('The kernel failed', { cause });
    }
  }
}

/** An index of a list as the kernel takes it. */
const index = (value: number): number => Math.min(Math.max(value, 0), 0x7fff_ffff);
