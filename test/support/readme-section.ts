/** What the README shows its readers to copy: files, configurations and commands, as they stand there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/**
 * The text below a heading, up to the next one of its level or above it.
 * @param heading as it stands there, such as `## Limits`
 * @throws Error unless the README has that heading
 */
export function readmeSection(heading: string): string {
  const level = heading.indexOf(' ');
  // A comment of a shell looks like a heading.
  let isCode = false;
  const lines = readme.split('\n').map((line) => {
    if (line.startsWith('```')) isCode = !isCode;
    return { line, level: isCode ? Infinity : (/^(#+) /.exec(line)?.[1]?.length ?? Infinity) };
  });
  const start = lines.findIndex(({ line }) => line === heading);
  if (start === -1) throw new Error(`The README has no heading "${heading}"`);
  const end = lines.findIndex((line, index) => index > start && line.level <= level);
  return lines
    .slice(start + 1, end === -1 ? undefined : end)
    .map(({ line }) => line)
    .join('\n');
}

/** The code blocks of a text in a language, which is empty for those that name none. */
export const codeBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)].flatMap(([, named, code = '']) =>
    named === language ? code : [],
  );

/** The code block of a section. @throws Error unless it has one in the language */
export function snippet(heading: string, language: string): string {
  const blocks = codeBlocks(readmeSection(heading), language);
  const [only] = blocks;
  if (only === undefined || blocks.length > 1)
    throw new Error(`"${heading}" of the README has ${blocks.length} blocks of ${language}`);
  return only;
}

/** The TypeScript files of a section by their names, which their first lines say. */
export const snippetFiles = (heading: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    codeBlocks(readmeSection(heading), 'ts').map((code) => [/^\/\/ (\S+)\n/.exec(code)?.[1] ?? '', code]),
  );

/** The code block in a language of the section "In production". */
export const productionSnippet = (language: string): string => snippet('## In production', language);

/** The lines of that section that start with a word, such as the name of a command. */
export const productionLines = (word: string): string[] =>
  readmeSection('## In production')
    .split('\n')
    .filter((line) => line.startsWith(`${word} `));
