import type { EncodedShape, EncodedSlot } from './encoded-plan.ts';
import type { Kernel } from './kernel.ts';
import { kindAbsent, kindBits, kindList, kindMask, kindObject, kindOther, slotStart, slotWord } from './layout.ts';
import type { Scanned, Splice } from './splice.ts';

export class ScannedDocument implements Scanned {
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
