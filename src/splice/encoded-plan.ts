export interface EncodedPlan {
  /** The kernel's memory from `planBase` on. */
  readonly bytes: Uint8Array;
  readonly root: EncodedShape;
  /** Their first steps. */
  readonly templates: readonly number[];
  /** First steps of what prints the templates' asks; undefined for a template without inner prints. */
  readonly asks: readonly (number | undefined)[];
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
  /** Shape of the object, or of the entries of the list. */
  | { readonly kind: 'object' | 'list' | 'leaves'; readonly shape: EncodedShape }
);
