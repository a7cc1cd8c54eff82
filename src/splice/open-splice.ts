import type { EncodedPlan } from './encoded-plan.ts';
import type { Kernel } from './kernel.ts';
import { blockBytes, slack } from './layout.ts';
import { parametersBytes, writeParameters } from './parameters.ts';
import { ScannedDocument } from './scanned-document.ts';
import type { PrintOptions, Refusal, Scanned, Splice } from './splice.ts';

/** By what the kernel returns in place of an address, as a positive number. */
const refusals = ['trap', 'not_json', 'not_expected', 'missing', 'too_deep', 'too_large'] as const;

/** Room behind the plan for the parameters of a print. As a rule they fit, and what was printed need not move. */
const parametersRoom = 16_384;

const mostBytesPerUnit = 3;

/**
 * Memory is given out from the front to the back: the plan, then documents with their tapes as they come, then what was
 * printed, which grows at its end. When something was read meanwhile, what had been printed moves behind that.
 */
export class OpenSplice implements Splice {
  readonly #plan: EncodedPlan;
  readonly #release: (kernel: Kernel) => void;
  #kernel: Kernel | undefined;
  #isClosed = false;
  /** Why nothing can be read or printed any more. */
  #broken: Refusal | undefined;
  readonly #parameters: number = 0;
  /** The first address that is free. */
  #top = 0;
  #outStart = 0;
  #outEnd = 0;

  /** @param kernel none if the machine has no memory for it: then everything is refused */
  constructor(plan: EncodedPlan, kernel: Kernel | undefined, release: (kernel: Kernel) => void) {
    this.#plan = plan;
    this.#kernel = kernel;
    this.#release = release;
    const end = kernel?.load(plan);
    if (end === undefined || !kernel?.reserve(end + blockBytes + parametersRoom)) {
      this.#broken = 'too_large';
      return;
    }
    this.#parameters = aligned(end);
    this.#top = this.#outStart = this.#outEnd = this.#parameters + parametersRoom;
  }

  scan(document: readonly Uint8Array[]): Scanned | Refusal {
    const kernel = this.#usable();
    if (typeof kernel === 'string') return kernel;
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
    const kernel = this.#usable();
    if (typeof kernel === 'string') return kernel;
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

  text(text: string): void {
    const kernel = this.#usable();
    if (typeof kernel === 'string') return;
    if (this.#moveOutput(kernel, text.length * mostBytesPerUnit)) {
      this.#top = this.#outEnd += kernel.bytes.write(text, this.#outEnd);
    } else this.#broken = 'too_large';
  }

  output(): Uint8Array {
    const kernel = this.#usable();
    if (typeof kernel === 'string') throw new RangeError(`Nothing can be printed: ${kernel}`);
    return kernel.bytes.subarray(this.#outStart, this.#outEnd);
  }

  close(): void {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    this.#isClosed = true;
    // After a trap, which would be a fault of the kernel, its memory is not trusted any more.
    if (kernel !== undefined && this.#broken !== 'trap') this.#release(kernel);
  }

  #usable(): Kernel | Refusal {
    return this.#broken !== undefined && !this.#isClosed ? this.#broken : this.#open();
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

  /** Calls the kernel. */
  #run(call: () => number): number | Refusal {
    let result = 0;
    try {
      result = call();
    } catch {
      this.#broken = 'trap';
      return 'trap';
    }
    return result > 0 ? result : (refusals[-result] ?? 'trap');
  }
}

const aligned = (address: number): number => Math.ceil(address / blockBytes) * blockBytes;

/** An index of a list as the kernel takes it. */
const index = (value: number): number => Math.min(Math.max(value, 0), 0x7fff_ffff);
