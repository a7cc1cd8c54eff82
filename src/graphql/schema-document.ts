/** The schema as text, for tools that read no introspection, or that ask often. */
import type { FastifyInstance } from 'fastify';
import { sendDocument, staticDocument } from '../http/documents.ts';
import { once } from '../once.ts';

export const schemaPath = '/schema.graphql';

/** Serves the schema, as it is in `schema.graphql`. Like introspection it needs no API key. */
export function mountSchemaDocument(server: FastifyInstance): void {
  const document = once(async () => {
    const { printedSchema } = await import('./print.ts');
    return staticDocument('text/plain; charset=utf-8', printedSchema());
  });
  server.get(schemaPath, async (request, reply) => sendDocument(await document(), request, reply));
}
