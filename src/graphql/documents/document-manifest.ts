/**
 * Manifests of trusted documents, as the tools of clients write them when an application is built: Relay's compiler and the
 * client preset of GraphQL Code Generator an object of texts by their ids, Apollo's `generate-persisted-query-manifest` a
 * list of operations (https://www.apollographql.com/docs/graphos/platform/security/persisted-queries#manifest-format).
 */
import { z } from 'zod';

/** The texts of documents by their ids, without a prefix. */
export type DocumentManifest = ReadonlyMap<string, string>;

/**
 * Whether the documents of the manifest are the only ones that are executed, or others are executed too.
 * `prefer` is for the time in which clients change over.
 */
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

/** An id without the prefix that GraphQL over HTTP (appendix A) and the client preset put before a SHA-256. */
export const withoutPrefix = (id: string): string => id.replace(/^sha256:/, '');

/**
 * Reads a manifest of any format.
 * @param content the JSON object that the file has
 * @throws Error that continues the name of a variable, for what is no manifest
 */
export function readManifest(content: object): DocumentManifest {
  const isApollo = 'format' in content && content.format === apolloFormat;
  const documents = new Map<string, string>();
  for (const [id, text] of isApollo ? ofApollo(content) : ofTexts(content)) {
    const plain = withoutPrefix(id);
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
