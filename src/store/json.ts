/** JSON of our own columns, of a trusted type: code of that type wrote it, and migrations carry older rows along. */
export const readJsonColumn = <T>(text: string): T => JSON.parse(text);
