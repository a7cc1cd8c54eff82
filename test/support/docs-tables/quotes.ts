/** Files of `examples/`, and parts of them, as the pages quote them. */
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** A line that begins or ends a part of a file. Editors fold what stands between. */
const mark = /^[ \t]*\/\/ #(?:region .+|endregion)\n/gm;

/**
 * The code block of a file below `examples/`, or of its part `path#region`; null for any other name. The first line of the block
 * is the name of the file within its example. JSON has no comments, so it has none.
 * @throws Error if there is no such file, or no such part of it
 */
export function quoteOf(name: string): string | null {
  const [, path = '', file = '', part] = /^(examples\/[\w-]+\/([^#]+))(?:#(.+))?$/.exec(name) ?? [];
  if (path === '') return null;
  if (!existsSync(join(root, path))) throw new Error(`There is no file ${path}`);
  const text = partOf(readFileSync(join(root, path), 'utf8'), part);
  if (text === undefined) throw new Error(`${path} has no region "${part}"`);
  const language = extname(path).slice(1);
  return `\`\`\`${language}\n${language === 'json' ? '' : `// ${file}\n`}${text.replaceAll(mark, '')}\`\`\``;
}

/** The lines of a region, with the indentation of its first mark taken away; the whole text without one. */
function partOf(text: string, part: string | undefined): string | undefined {
  if (part === undefined) return text;
  const [, indent = '', lines] =
    new RegExp(`^([ \\t]*)// #region ${part}\\n([\\s\\S]*?)^\\1// #endregion\\n`, 'm').exec(text) ?? [];
  return lines?.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}
