/** Trusted documents, from a client's build manifest: parsed and validated at the start, and kept for good. */
import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  validate,
} from 'graphql';
import { messageOf } from '../../kernel/lib/to-error.ts';
import type { DocumentSettings } from './document-manifest.ts';
import { parseDocument } from './known-documents.ts';
import { validationRules } from './parse.ts';

interface TrustedDocumentOptions {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  readonly ofPages: readonly string[];
}

/** Documents named in the error: where one does not fit, often none does. */
const maxNamed = 10;

export type TrustedDocuments = ReturnType<typeof openTrustedDocuments>;

/** @throws Error that continues the name of a variable and lists the invalid documents */
export function openTrustedDocuments(
  { manifest, mode }: DocumentSettings,
  { schema, introspection, ofPages }: TrustedDocumentOptions,
) {
  const parsed = new Map<string, DocumentNode>();
  const byHash = new Map<string, string>();
  const problems: string[] = [];
  for (const [id, text] of [...manifest, ...ofPages.map((each) => ['', each] as const)]) {
    byHash.set(hash('sha256', text), text);
    try {
      parsed.set(text, validDocument(schema, text, introspection));
    } catch (error) {
      problems.push(`  ${id}: ${messageOf(error)}`);
    }
  }
  if (problems.length > 0) throw new Error(namingDocuments(problems));
  return { isOnly: mode === 'only', find: (id: string) => manifest.get(id) ?? byHash.get(id), parsed };
}

function namingDocuments(problems: readonly string[]): string {
  const named = problems.slice(0, maxNamed);
  const untold = problems.length - named.length;
  const more = untold === 0 ? [] : [`  and ${untold} more`];
  return ['names a manifest with documents that this gateway does not execute:', ...named, ...more].join('\n');
}

/** @throws Error that names the operation of a document that is no GraphQL, invalid or beyond a limit */
function validDocument(schema: GraphQLSchema, text: string, introspection: boolean): DocumentNode {
  const document = parseDocument(text);
  const rules = introspection ? validationRules : [...validationRules, NoSchemaIntrospectionCustomRule];
  const [error] = validate(schema, document, rules, { maxErrors: 1 });
  if (error === undefined) return document;
  const name = getOperationAST(document)?.name?.value;
  throw new Error(name === undefined ? error.message : `${name}: ${error.message}`);
}
