/**
 * Trusted documents: those that the developers of a client wrote, out of a manifest that their build made. They are parsed
 * and validated when the gateway starts, and stay in memory for as long as it runs.
 */
import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  validate,
} from 'graphql';
import type { DocumentSettings } from './document-manifest.ts';
import { parseDocument } from './documents.ts';
import { validationRules } from './validation-rules.ts';

export interface TrustedDocuments {
  /** Whether no other documents are executed. */
  readonly isOnly: boolean;
  /** The text of a document by its id in the manifest, or by its SHA-256 in hex; without a prefix. */
  find(id: string): string | undefined;
  /** The documents by their texts. */
  readonly parsed: ReadonlyMap<string, DocumentNode>;
}

export interface TrustedDocumentOptions {
  readonly schema: GraphQLSchema;
  /** Whether the schema can be read. */
  readonly introspection: boolean;
  /** The documents of the gateway's own pages, which are in no manifest. */
  readonly ofPages: readonly string[];
}

/** Beyond these a start does not name the documents that do not fit: where one does not, often none does. */
const maxNamed = 10;

/** @throws Error that continues the name of a variable, with the documents that are not valid for the schema, or beyond a limit */
export function openTrustedDocuments(
  { manifest, mode }: DocumentSettings,
  { schema, introspection, ofPages }: TrustedDocumentOptions,
): TrustedDocuments {
  const parsed = new Map<string, DocumentNode>();
  const byHash = new Map<string, string>();
  const problems: string[] = [];
  for (const [id, text] of [...manifest, ...ofPages.map((each) => ['', each] as const)]) {
    byHash.set(hash('sha256', text), text);
    try {
      parsed.set(text, validDocument(schema, text, introspection));
    } catch (error) {
      problems.push(`  ${id}: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (problems.length > 0) throw new Error(namingDocuments(problems));
  return { isOnly: mode === 'only', find: (id) => manifest.get(id) ?? byHash.get(id), parsed };
}

function namingDocuments(problems: readonly string[]): string {
  const named = problems.slice(0, maxNamed);
  const untold = problems.length - named.length;
  const more = untold === 0 ? [] : [`  and ${untold} more`];
  return ['names a manifest with documents that this gateway does not execute:', ...named, ...more].join('\n');
}

/** @throws Error for a document that is no GraphQL, not valid, or beyond a limit. Its message names the operation. */
function validDocument(schema: GraphQLSchema, text: string, introspection: boolean): DocumentNode {
  const document = parseDocument(text);
  const rules = introspection ? validationRules : [...validationRules, NoSchemaIntrospectionCustomRule];
  const [error] = validate(schema, document, rules, { maxErrors: 1 });
  if (error === undefined) return document;
  const name = getOperationAST(document)?.name?.value;
  throw new Error(name === undefined ? error.message : `${name}: ${error.message}`);
}
