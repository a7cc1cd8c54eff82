import type { EncodedShape, EncodedSlot } from './encoded-plan.ts';
import type { Kernel } from './kernel.ts';
import { kindAbsent, kindBits, kindList, kindMask, kindObject, kindOther, slotStart, slotWord } from './layout.ts';
import type { Scanned, Splice } from './splice.ts';

export class ScannedDocument implements Scanned {
  readonly splice: Splice;
  /** The address of the root's frame. */
  readonly frame: number;
  readonly #shape: EncodedShape;
  readonly #kernel: () => Kernel;

  /** @param kernel throws when the splice is closed: then the memory is somebody else's */
  constructor(splice: Splice, frame: number, shape: EncodedShape, kernel: () => Kernel) {
    this.splice = splice;
    this.frame = frame;
    this.#shape = shape;
    this.#kernel = kernel;
  }

  count(key: string): number | undefined {
    const slot = this.#shape.slots.get(key);
    if (slot === undefined) return undefined;
    const { kind, length } = this.#read(this.frame, slot);
    return kind === kindList ? length : undefined;
  }

  leaf(...path: readonly string[]): string | null | undefined {
    let frame = this.frame;
    let shape = this.#shape;
    for (const [at, key] of path.entries()) {
      const slot = shape.slots.get(key);
      if (slot === undefined) return undefined;
      const { kind, start, length } = this.#read(frame, slot);
      if (kind === kindAbsent) return undefined;
      if (at === path.length - 1) return isLeaf(kind) ? this.#kernel().text(start, length) : null;
      if (kind !== kindObject || slot.kind !== 'object') return undefined;
      frame = start;
      shape = slot.shape;
    }
    return undefined;
  }

  #read(frame: number, { offset }: EncodedSlot) {
    const kernel = this.#kernel();
    const word = kernel.word(frame + offset + slotWord);
    return { kind: word & kindMask, start: kernel.word(frame + offset + slotStart), length: word >>> kindBits };
  }
}

const isLeaf = (kind: number): boolean => kind !== kindObject && kind !== kindList && kind !== kindOther;
