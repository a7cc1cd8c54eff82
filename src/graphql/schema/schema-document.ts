/** The schema as text, for tools that read no introspection, or that ask often. */
import { sendDocument, staticDocument } from '../../http/documents.ts';
import type { Route } from '../../http/router.ts';
import { once } from '../../kernel/lib/once.ts';

export const schemaPath = '/schema.graphql';

/** Needs no API key. @param print called on first request */
export function schemaRoutes(print: () => Promise<string>): Route[] {
  const document = once(async () => staticDocument('text/plain; charset=utf-8', await print()));
  return [{ method: 'GET', path: schemaPath, serve: async (request) => sendDocument(await document(), request) }];
}
