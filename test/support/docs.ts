/** What the documentation shows its readers to copy: files, configurations and commands, as they stand there. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The text of every page, by its path in the repository. */
export const pages: ReadonlyMap<string, string> = new Map(
  ['*.md', 'docs/**/*.md', 'src/**/*.md']
    .flatMap((pattern) => globSync(pattern, { cwd: root }).sort())
    .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);

/** The text of a page. @throws Error unless there is one at the path */
export function pageAt(path: string): string {
  const text = pages.get(path);
  if (text === undefined) throw new Error(`There is no page ${path}`);
  return text;
}

interface Line {
  readonly text: string;
  /** Of a heading; infinite for any other line. */
  readonly level: number;
}

/** The lines of a page. */
function linesOf(page: string): Line[] {
  // A comment of a shell looks like a heading.
  let isCode = false;
  return page.split('\n').map((text) => {
    if (text.trimStart().startsWith('```')) isCode = !isCode;
    return { text, level: isCode ? Infinity : (/^(#+) /.exec(text)?.[1]?.length ?? Infinity) };
  });
}

/** The headings of a page, without the marks before them. */
export const headingsOf = (page: string): string[] =>
  linesOf(page).flatMap(({ text, level }) => (level === Infinity ? [] : text.slice(level + 1)));

/**
 * The text below a heading, up to the next one of its level or above it: a whole page, if it is the title of one.
 * @throws Error unless one page has that heading, or that title
 */
export function sectionOf(heading: string): string {
  const found = [...pages.values()].flatMap((page) => {
    const lines = linesOf(page);
    const start = lines.findIndex(({ text, level }) => level < Infinity && text.slice(level + 1) === heading);
    const level = lines[start]?.level ?? 0;
    const end = lines.findIndex((line, index) => index > start && line.level <= level);
    const below = lines.slice(start + 1, end === -1 ? undefined : end);
    return start === -1 ? [] : { level, text: below.map(({ text }) => text).join('\n') };
  });
  const titled = found.filter(({ level }) => level === 1);
  const [only, ...others] = titled.length > 0 ? titled : found;
  if (only === undefined || others.length > 0)
    throw new Error(`${others.length > 0 ? 'Several pages have' : 'No page has'} the heading "${heading}"`);
  return only.text;
}

/** The code blocks of a text in a language, which is empty for those that name none. */
export const codeBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^ *```(\w*)[^\n]*\n([\s\S]*?)^ *```$/gm)].flatMap(([, named, code = '']) =>
    named === language ? code : [],
  );

/** The code block of a section. @throws Error unless it has one in the language */
export function snippet(heading: string, language: string): string {
  const blocks = codeBlocks(sectionOf(heading), language);
  const [only] = blocks;
  if (only === undefined || blocks.length > 1)
    throw new Error(`"${heading}" has ${blocks.length} blocks of ${language}`);
  return only;
}

/** What a page quotes of `examples/`, but for the client of TypeScript, which the files of other pages import. */
const quotes = /<!-- npm run docs: examples\/(?!node\/).+ -->[\s\S]*?<!-- end -->/g;

/**
 * The TypeScript files of a section by their names, which their first lines say. Those of examples are left out: they are tested
 * where they are.
 */
export const snippetFiles = (heading: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    codeBlocks(sectionOf(heading).replaceAll(quotes, ''), 'ts').map((code) => [
      /^\/\/ (\S+)\n/.exec(code)?.[1] ?? '',
      code,
    ]),
  );

/** The lines of a section that start with a word, such as the name of a command. */
export const linesOfSection = (heading: string, word: string): string[] =>
  sectionOf(heading)
    .split('\n')
    .filter((line) => line.startsWith(`${word} `));
