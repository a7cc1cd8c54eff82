/** The typed keys of an `as const` table. `Object.keys` types text, as objects may have further members. */
export const keysOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[];

export const entriesOf = <Table extends object>(table: Table) =>
  Object.entries(table) as [keyof Table & string, Table[keyof Table]][];

/** Neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type ValueOf<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;

/** A variant of a union, of which every key may be read. */
export type AnyOf<Union> = Union & { readonly [Key in KeyOf<Union>]?: ValueOf<Union, Key> };
