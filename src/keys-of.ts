/**
 * The keys of a table. `Object.keys` types them as text, because an object may have more members than its type names; a
 * table that is declared `as const` has none.
 */
export const keysOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[];
