import type { SplicePlan } from './plan.ts';

/** A plan as the kernel reads it. */
export interface EncodedPlan {
  readonly plan: SplicePlan;
  /** What stands in the kernel's memory from `planBase` on. */
  readonly bytes: Uint8Array;
  readonly root: EncodedShape;
  /** The address of the first step of each template. */
  readonly templates: readonly number[];
}

export interface EncodedShape {
  readonly address: number;
  readonly slots: ReadonlyMap<string, EncodedSlot>;
}

export interface EncodedSlot {
  /** From the start of the frame, in bytes. */
  readonly offset: number;
  readonly kind: 'leaf' | 'object' | 'list';
  /** Of the object, or of those in the list. */
  readonly shape: EncodedShape | null;
}
