/** Markdown of tables. */
export const code = (text: string): string => `\`${text}\``;
export const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
export const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

/** A table with a heading for each column. */
export const table = (headings: readonly string[], rows: readonly string[]): string =>
  [row(...headings), `|${'---|'.repeat(headings.length)}`, ...rows].join('\n');
