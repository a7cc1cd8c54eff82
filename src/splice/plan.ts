/**
 * What the splicer does, as data: which values to note while it reads a JSON document, and how to print them into another.
 * It knows JSON and nothing else: not what the document is about, who asks for it, or how it came.
 *
 * ```
 * document   {"items":[{"id":"7","name":"Ada"},{"name":"Bo","id":"8"}],"next":null}
 * shape      { items: { list: { id: 'leaf', name: 'leaf' } }, next: 'leaf' }
 * template   {"people":[ … window over `items`: {"name": … string `name` } … ]}
 * printed    {"people":[{"name":"Ada"},{"name":"Bo"}]}
 * ```
 *
 * What is printed is what `JSON.stringify` prints of the values that `JSON.parse` reads. Whatever a template does not
 * expect is refused with a reason, and nothing of what was printed may be used then.
 */

/** The values of an object to note, by their keys. A key that stands twice has the last of its values. */
export interface ObjectShape {
  readonly [key: string]: ValueShape;
}

export type ValueShape =
  /** A string, a number, true, false or null. */
  | 'leaf'
  | { readonly object: ObjectShape }
  /** A list of objects. */
  | { readonly list: ObjectShape };

/** How a leaf is printed. A value of any other kind is refused. */
export type LeafRule =
  /** A string as it is. */
  | 'string'
  /** A number. One beyond the largest double is refused. */
  | 'number'
  | 'boolean'
  /**
   * A UTC time `YYYY-MM-DDTHH:MM:SS[.f]Z` with one to three digits of fraction. 29 February and year 0000 are refused. Of a
   * number since the Unix epoch, its time (see instant.ts).
   */
  | 'instant'
  /** The JSON text that stands for a string; `otherwise` for any other string. */
  | { readonly mapping: Readonly<Record<string, string>>; readonly otherwise: string };

/** A step of a template. Keys are of the object that the step stands in. */
export type Part =
  /** JSON text that is always the same. */
  | { readonly kind: 'text'; readonly text: string }
  /** A JSON text that is passed with the print, by its index. */
  | { readonly kind: 'parameter'; readonly index: number }
  /** As `parameter`, but one for each item of the window that the step stands in. */
  | { readonly kind: 'itemParameter'; readonly index: number }
  | { readonly kind: 'leaf'; readonly key: string; readonly rule: LeafRule; readonly required: boolean }
  /** Whether a string stands there: false for null and absence. Any other value is refused. */
  | { readonly kind: 'presence'; readonly key: string }
  /**
   * A string, as base64url in quotes, of: the parameter `prefix`, then `first` and a comma if there is one, then the leaf,
   * then `suffix`. The leaf, and `first`, which is a leaf of an object, are strings of JSON with their quotes. Refused
   * unless they are strings.
   */
  | {
      readonly kind: 'base64url';
      readonly key: string;
      readonly first?: { readonly object: string; readonly key: string } | undefined;
      readonly prefix: number;
      readonly suffix: string;
    }
  /** `parts` if a string or an object stands under the key, `otherwise` for null and absence. Any other value is refused. */
  | {
      readonly kind: 'choice';
      readonly key: string;
      readonly parts: readonly Part[];
      readonly otherwise: readonly Part[];
    }
  /** `required`: absence and null are refused. Otherwise they are printed as null. The same goes for leaves and lists. */
  | { readonly kind: 'object'; readonly key: string; readonly required: boolean; readonly parts: readonly Part[] }
  /** A list of objects in brackets, separated by commas. An entry that is no object is refused. */
  | { readonly kind: 'list'; readonly key: string; readonly required: boolean; readonly parts: readonly Part[] }
  /** The objects from one index to another (passed with the print) of a list, separated by commas; no brackets. */
  | { readonly kind: 'window'; readonly key: string; readonly parts: readonly Part[] }
  /** Parts by the string under a key. Without `otherwise` any other string is refused; what is no string is refused always. */
  | {
      readonly kind: 'switch';
      readonly key: string;
      readonly cases: Readonly<Record<string, readonly Part[]>>;
      readonly otherwise: readonly Part[] | null;
    };

/** Templates over documents of one shape. */
export interface SplicePlan {
  readonly shape: ObjectShape;
  readonly templates: readonly (readonly Part[])[];
}
