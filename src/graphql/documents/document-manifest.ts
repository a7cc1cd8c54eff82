/**
 * Manifests of trusted documents as build tools write them: Relay's compiler and GraphQL Code Generator texts by id, Apollo's
 * tool a list (https://www.apollographql.com/docs/graphos/platform/security/persisted-queries#manifest-format).
 */
import { z } from 'zod';

type DocumentManifest = ReadonlyMap<string, string>;

/** `only` executes nothing but the manifest's documents; `prefer` is for the time in which clients change over. */
export const documentModes = ['only', 'prefer'] as const;

export interface DocumentSettings {
  readonly manifest: DocumentManifest;
  readonly mode: (typeof documentModes)[number];
}

const apolloFormat = 'apollo-persisted-query-manifest';
const apolloManifest = z.object({
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string() })),
});
const textsById = z.record(z.string().min(1), z.string());

/** A hash in capitals is the same hash. The prefix is that of GraphQL over HTTP (appendix A) and the client preset. */
export function plainId(id: string): string {
  const plain = id.replace(/^sha256:/i, '');
  return /^[\da-f]{64}$/i.test(plain) ? plain.toLowerCase() : plain;
}

/** Reads any format. @throws Error that continues the name of a variable */
export function readManifest(content: object): DocumentManifest {
  const isApollo = 'format' in content && content.format === apolloFormat;
  const documents = new Map<string, string>();
  for (const [id, text] of isApollo ? ofApollo(content) : ofTexts(content)) {
    const plain = plainId(id);
    const before = documents.get(plain) ?? text;
    if (before !== text) throw new Error(`names a manifest with two documents for the id "${id}"`);
    documents.set(plain, text);
  }
  if (documents.size === 0) throw new Error('names a manifest without documents');
  return documents;
}

type Entries = readonly (readonly [id: string, text: string])[];

function ofTexts(content: object): Entries {
  const { data } = textsById.safeParse(content);
  if (data !== undefined) return Object.entries(data);
  throw new Error(
    'names a file that is no manifest: it must be {"<id>": "<text>", …}, as Relay and GraphQL Code Generator write it, or a manifest of Apollo',
  );
}

function ofApollo(content: object): Entries {
  const { data } = apolloManifest.safeParse(content);
  if (data === undefined) {
    throw new Error('names a manifest of Apollo that is not of version 1, or has an operation without an id or a body');
  }
  return data.operations.map(({ id, body }) => [id, body]);
}
