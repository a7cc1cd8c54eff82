/** Why a document was not printed. */
export type Refusal = 'not_json' | 'not_expected' | 'missing' | 'too_deep' | 'too_large';

/** A document that was read. Valid only for the {@link Splice} that scanned it, until that is closed. */
export interface Scanned {
  /** The number of entries of a list under a key of the root; undefined for what is no list. */
  count(key: string): number | undefined;
  /** The JSON text of a leaf under keys from the root, such as `"next"`; undefined if it is not there, null if it is no leaf. */
  leaf(...path: readonly string[]): string | null | undefined;
}

export interface PrintOptions {
  /** The window: from which entry, and up to which (exclusive). */
  readonly from: number;
  readonly to: number;
  /** JSON texts, by the index of `parameter`. */
  readonly parameters: readonly string[];
  /** JSON texts by the index of `itemParameter`, then by the item's place in the window. */
  readonly itemParameters: readonly (readonly string[])[];
}

/**
 * One response in the making, over an instance of the kernel that nobody else uses meanwhile. A fault of the kernel is
 * thrown, with its cause, and closes the splice. A closed one throws whatever is done with it.
 */
export interface Splice {
  /** Reads a document. Several can be read, one after the other. */
  scan(document: readonly Uint8Array[]): Scanned | Refusal;
  /** Prints a template behind what was printed before. A template that is refused leaves nothing behind. */
  print(template: number, scanned: Scanned, options: PrintOptions): Refusal | null;
  /** Prints a text behind what was printed before. One that is refused leaves nothing behind. */
  text(text: string): Refusal | null;
  /** All that was printed: a view of the kernel's memory, good until more is read or printed, or until {@link close}. */
  output(): Uint8Array;
  /** Gives the instance back. It can be closed again. */
  close(): void;
}
