/**
 * The keys of a table. `Object.keys` types them as text, because an object may have more members than its type names; a
 * table that is declared `as const` has none.
 */
export const keysOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[];

/** The entries of a table of ours, with the keys and values that its type names. */
export const entriesOf = <Table extends object>(table: Table) =>
  Object.entries(table) as [keyof Table & string, Table[keyof Table]][];
