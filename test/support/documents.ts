/** The GraphQL documents that readers copy: every block of the pages, and what the programs of pages and examples ask. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DefinitionNode,
  type FragmentDefinitionNode,
  type InlineFragmentNode,
  Kind,
  parse,
  print,
  visit,
} from 'graphql';
import { codeBlocks, pages } from './docs.ts';
import { schema } from './schema.ts';

const root = join(import.meta.dirname, '../..');

/** Directives of Relay, which it removes before it sends a document. */
export const relayDirectives = `
  directive @alias(as: String) on FRAGMENT_SPREAD
  directive @catch on FIELD
  directive @connection(key: String!) on FIELD
  directive @throwOnFieldError on QUERY
`;

/** What a reader compiles together: the fragments of a unit are known to its operations. */
export interface Unit {
  readonly name: string;
  readonly definitions: readonly DefinitionNode[];
  /** Whether it has directives that only Relay knows. */
  readonly isForRelay: boolean;
}

/** The texts of a program that are operations or fragments. Types of a schema are none. */
const documentsIn = (program: string): string[] =>
  [...program.matchAll(/`([^`]*)`|'([^'\n]*)'|"([^"\n]*)"/g)]
    .map(([, ...texts]) => texts.find((text) => text !== undefined) ?? '')
    .filter((text) => /^\s*(?:query|mutation|subscription|fragment)\b[^{]*\{/.test(text));

/** The unit of some texts. */
export function unitOf(name: string, texts: readonly string[]): Unit {
  const document = parse(texts.join('\n'));
  let isForRelay = false;
  visit(document, {
    Directive({ name }) {
      isForRelay ||= !schema.getDirective(name.value);
    },
  });
  return { name, definitions: document.definitions, isForRelay };
}

/** The documents of the examples, but for those for Relay, which their own compiler builds with names and directives of its own. */
const textsOfExamples = (): Map<string, string[]> => {
  const files = globSync('examples/**/*.{ts,tsx}', {
    cwd: root,
    exclude: (path) => /node_modules|\bgql$|__generated__|\breact-relay$/.test(path),
  }).sort();
  const ofFolders = new Map<string, string[]>();
  for (const file of files) {
    const folder = file.split(/[\\/]/, 2).join('/');
    const texts = documentsIn(readFileSync(join(root, file), 'utf8'));
    ofFolders.set(folder, [...(ofFolders.get(folder) ?? []), ...texts]);
  }
  return ofFolders;
};

/** What a page quotes of an example, which belongs to the package of the example. */
const quotes = /<!-- npm run docs: examples\/.+ -->[\s\S]*?<!-- end -->/g;

const textsOfPages = (): [string, string[]][] =>
  [...pages].flatMap(([path, page]) => [
    ...codeBlocks(page, 'graphql').map((text, index): [string, string[]] => [`${path}, block ${index + 1}`, [text]]),
    [`${path}, programs`, codeBlocks(page.replaceAll(quotes, ''), 'ts').flatMap(documentsIn)],
  ]);

/** Every document of the pages and examples, in units. */
export const documentationUnits = (): Unit[] =>
  [...textsOfPages(), ...textsOfExamples()]
    .filter(([, texts]) => texts.length > 0)
    .map(([name, texts]) => unitOf(name, texts));

/** The selections of failures that lack `code`, by which clients tell them apart. What people read is enough for a page. */
export function failuresWithoutCode(definitions: readonly DefinitionNode[]): string[] {
  const found: string[] = [];
  const look = (node: FragmentDefinitionNode | InlineFragmentNode) => {
    if (node.typeCondition?.name.value !== 'ServiceError') return;
    const fields = node.selectionSet.selections.flatMap((each) => (each.kind === Kind.FIELD ? each.name.value : []));
    const tellsMore = fields.some((name) => !['__typename', 'message'].includes(name));
    if (tellsMore && !fields.includes('code')) found.push(print(node));
  };
  visit({ kind: Kind.DOCUMENT, definitions }, { InlineFragment: look, FragmentDefinition: look });
  return found;
}
