/** What the README shows an operator: the configuration files and commands of its section "In production". */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const section = readme.slice(readme.indexOf('\n## In production\n')).split('\n## ')[1] ?? '';

/** @throws Error unless the section has one block in the language */
export function productionSnippet(language: string): string {
  const blocks = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  const [only] = blocks;
  if (only?.[1] === undefined || blocks.length > 1)
    throw new Error(`The README has ${blocks.length} blocks of ${language}`);
  return only[1];
}

/** The lines of the section that start with a word, such as the name of a command. */
export const productionLines = (word: string): string[] =>
  section.split('\n').filter((line) => line.startsWith(`${word} `));
