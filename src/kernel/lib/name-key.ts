/** A name as it is searched and sorted: without the case of A to Z, as both databases do it, whatever their locale. */
export const nameKey = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
