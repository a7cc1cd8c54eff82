/** A plan as the kernel reads it. */
export interface EncodedPlan {
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

export type EncodedSlot = {
  /** From the start of the frame, in bytes. */
  readonly offset: number;
} & (
  | { readonly kind: 'leaf' }
  /** With the shape of the object, or of those in the list. */
  | { readonly kind: 'object' | 'list'; readonly shape: EncodedShape }
);
