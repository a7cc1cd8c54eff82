/** The schema as text, for tools that read no introspection, or that ask often. */
import type { FastifyInstance } from 'fastify';
import { sendDocument, staticDocument } from '../http/documents.ts';
import { once } from '../once.ts';

export const schemaPath = '/schema.graphql';

/** Serves the schema. Like introspection it needs no API key. @param print made when it is first asked for */
export function mountSchemaDocument(server: FastifyInstance, print: () => Promise<string>): void {
  const document = once(async () => staticDocument('text/plain; charset=utf-8', await print()));
  server.get(schemaPath, async (request, reply) => sendDocument(await document(), request, reply));
}
