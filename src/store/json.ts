/**
 * Reads JSON that this program wrote: columns of its own database. The reader trusts the caller's type without a check,
 * because the row was written by code of the same types, and migrations carry older rows along. JSON from anywhere else
 * (requests, upstream services, files) is parsed with a zod shape or a guard instead.
 */
export const readJsonColumn = <T>(text: string): T => JSON.parse(text);
