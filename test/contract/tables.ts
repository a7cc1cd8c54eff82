/** Reads the Markdown of the contract (spec.md beside this file): its tables, and what stands around them. */

export interface Table {
  /** The innermost heading that it stands under. */
  readonly heading: string;
  /** The paragraph right before it. */
  readonly lead: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Line of each row in the text, counted from 0. */
  readonly lines: readonly number[];
}

/** Every table of a text, in its order. */
export function readTables(markdown: string): Table[] {
  const tables: { heading: string; lead: string; columns: string[]; rows: string[][]; lines: number[] }[] = [];
  let heading = '';
  let lead = '';
  let open = false;
  for (const [number, line] of markdown.split('\n').entries()) {
    if (line.startsWith('|')) {
      const cells = line.split('|').slice(1, -1).map(cleaned);
      if (!open) tables.push({ heading, lead, columns: cells, rows: [], lines: [] });
      else if (!/^\|[-|]+\|$/.test(line)) {
        tables.at(-1)?.rows.push(cells);
        tables.at(-1)?.lines.push(number);
      }
      open = true;
      continue;
    }
    open = false;
    if (line.startsWith('#')) {
      heading = line.replace(/^#+ /, '');
      lead = '';
    } else if (line.trim() !== '') lead = line;
  }
  return tables;
}

const cleaned = (cell: string): string => cell.replaceAll('`', '').trim();

/** The one table under a heading whose lead begins so (an empty lead: none); a contract without it is an error. */
export function tableAt(tables: readonly Table[], heading: string, lead?: string): Table {
  const fits = (table: Table) => lead === undefined || (lead === '' ? table.lead === '' : table.lead.startsWith(lead));
  const found = tables.filter((table) => table.heading.startsWith(heading) && fits(table));
  const [table] = found;
  if (table !== undefined && found.length === 1) return table;
  throw new Error(`The contract has ${found.length} tables under "${heading}" after "${lead}", not one`);
}

/** What a paragraph says behind its beginning. */
export function paragraph(markdown: string, beginning: string): string {
  const line = markdown.split('\n').find((each) => each.startsWith(beginning));
  if (line === undefined) throw new Error(`The contract has no paragraph that begins with "${beginning}"`);
  return line.slice(beginning.length);
}

/** The text of the section under a heading, up to the next heading. */
export function section(markdown: string, heading: string): string {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.replace(/^#+ /, '').startsWith(heading) && line.startsWith('#'));
  if (start === -1) throw new Error(`The contract has no heading "${heading}"`);
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('#'));
  return lines.slice(start, length === -1 ? undefined : start + 1 + length).join('\n');
}

/** The words of a list such as "A, B or C." */
export const wordsOf = (text: string): string[] =>
  text
    .replaceAll('`', '')
    .match(/[A-Za-z_]\w*/g)
    ?.filter((word) => word !== 'or' && word !== 'and') ?? [];
