/**
 * A splice as data: which values to note while reading a JSON document, and how to print them into another. It knows
 * JSON and nothing else.
 *
 * ```
 * document {"items":[{"id":"7","name":"Ada"},{"name":"Bo","id":"8"}],"next":null}
 * shape { items: { list: { id: 'leaf', name: 'leaf' } }, next: 'leaf' }
 * template {"people":[ … window over `items`: {"name": … string `name` } … ]}
 * printed {"people":[{"name":"Ada"},{"name":"Bo"}]}
 * ```
 *
 * The output equals `JSON.stringify` of the values that `JSON.parse` reads, with U+FFFD for lone surrogates. What a template does not expect is refused
 * with a reason; nothing printed may be used then.
 */

/** Values to note, by key. Of a repeated key the last value counts. */
export interface ObjectShape {
  readonly [key: string]: ValueShape;
}

export type ValueShape =
  /** A string, number, boolean or null. */
  'leaf' | { readonly object: ObjectShape } | { readonly list: ObjectShape | 'leaf' };

/** The key of a leaf that is itself an entry of a list. */
export const itself = '';

/** Rules refuse values of any other kind. */
export type LeafRule =
  /** As it is. */
  | 'string'
  /** Refused beyond the largest double. */
  | 'number'
  | 'boolean'
  /** As it is; of at most nine digits. */
  | 'integer'
  /**
   * UTC time `YYYY-MM-DDTHH:MM:SS[.f]Z` with one to three digits of fraction, without 29 February and year 0000; or the
   * time of a number since the epoch (instant.ts).
   */
  | 'instant'
  /** JSON text by string; `otherwise` for any other string, which is refused without. */
  | { readonly mapping: Readonly<Record<string, string>>; readonly otherwise: string | null };

/** Keys are of the surrounding object. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** JSON text that is passed with the print. */
  | { readonly kind: 'parameter'; readonly index: number }
  /** As `parameter`, one for each item of the surrounding window. */
  | { readonly kind: 'itemParameter'; readonly index: number }
  | { readonly kind: 'leaf'; readonly key: string; readonly rule: LeafRule; readonly required: boolean }
  /** Whether a string stands there: false for null and absence. Any other value is refused. */
  | { readonly kind: 'presence'; readonly key: string }
  /**
   * Base64url in quotes of: parameter `prefix`, `first` and a comma if there is one, the leaf, `suffix`. `first` and
   * the leaf are JSON strings with their quotes; any other value is refused.
   */
  | {
      readonly kind: 'base64url';
      readonly key: string;
      readonly first?: { readonly object: string; readonly key: string } | undefined;
      readonly prefix: number;
      readonly suffix: string;
    }
  /** `parts` for a string or object under the key, `otherwise` for null and absence. Any other value is refused. */
  | {
      readonly kind: 'choice';
      readonly key: string;
      readonly parts: readonly Part[];
      readonly otherwise: readonly Part[];
    }
  /** Absence and null are refused if `required`, else printed as null; so with leaves and lists. */
  | { readonly kind: 'object'; readonly key: string; readonly required: boolean; readonly parts: readonly Part[] }
  /**
   * Entries in brackets, with commas: objects, unless the shape has a list of leaves. Other entries are refused. With
   * `emptyIsNull`, null for an empty list.
   */
  | {
      readonly kind: 'list';
      readonly key: string;
      readonly required: boolean;
      readonly emptyIsNull?: boolean | undefined;
      readonly parts: readonly Part[];
    }
  /** The first entry of a list. An empty list is as good as none. */
  | { readonly kind: 'first'; readonly key: string; readonly required: boolean; readonly parts: readonly Part[] }
  /** The objects between two indices (passed with the print), with commas, without brackets. */
  | { readonly kind: 'window'; readonly key: string; readonly parts: readonly Part[] }
  /** The next of the prints that are passed with the print. `asks` prints, as a JSON object, what that print is about. */
  | { readonly kind: 'inner'; readonly asks: readonly Part[] }
  /** Parts by the string under a key. Any other value is refused. */
  | { readonly kind: 'switch'; readonly key: string; readonly cases: Readonly<Record<string, readonly Part[]>> };

export interface SplicePlan {
  readonly shape: ObjectShape;
  readonly templates: readonly (readonly Part[])[];
}
