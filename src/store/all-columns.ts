/**
 * Whether a statement reads all columns of a table, whichever these are. After a migration they are others than when it was
 * prepared. Lists name theirs.
 */
export const readsAllColumns = (sql: string): boolean => /"\.\*|\* from "|select \*,|returning \*/.test(sql);
