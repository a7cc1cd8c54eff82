/** JSON: UTF-8 in chunks, or text. */
export type JsonDocument = readonly Uint8Array[] | string;

export type Refusal = 'not_json' | 'not_expected' | 'missing' | 'too_deep' | 'too_large';

/** A document, valid until the {@link Splice} that scanned it is closed. */
export interface Scanned {
  /** Entries of a list under a key of the root; undefined for anything else. */
  count(key: string): number | undefined;
  /** JSON text of a leaf under keys from the root, such as `"next"`; undefined if absent, null if it is no leaf. */
  leaf(...path: readonly string[]): string | null | undefined;
}

/** Indices in the list of the window. */
export interface WindowRange {
  readonly from: number;
  readonly to: number;
}

export interface PrintOptions extends WindowRange {
  /** JSON texts by the index of `parameter`. */
  readonly parameters: readonly string[];
  /** JSON texts by the index of `itemParameter`, then by position in the window. */
  readonly itemParameters: readonly (readonly string[])[];
  /** One for each of the {@link Splice.asks}, none by default. One that stands in several places is kept once. */
  readonly inner?: readonly Print[];
}

export interface Print extends PrintOptions {
  readonly template: number;
  readonly scanned: Scanned;
}

/** One response in the making, with an exclusive kernel, whose fault is thrown and closes the splice. */
export interface Splice {
  /** Several documents can be read, one after the other. */
  scan(document: JsonDocument): Scanned | Refusal;
  /** What the inner prints of a template are about, in their order. */
  asks(template: number, scanned: Scanned, window: WindowRange): readonly object[] | Refusal;
  /** Appends a template; one that is refused leaves nothing behind. */
  print(template: number, scanned: Scanned, options: PrintOptions): Refusal | null;
  /** Appends a text; one that is refused leaves nothing behind. */
  text(text: string): Refusal | null;
  /** A view of the kernel's memory, valid until more is read or printed, or until {@link close}. */
  output(): Uint8Array;
  /** Idempotent. */
  close(): void;
}
