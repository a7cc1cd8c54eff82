/** The GraphQL face on the shared HTTP server: compiled operations, and the executor for all others. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors.ts';
import { codingRefusal, errorResponse, isUnsupportedMedia, pathOf } from '../http/server.ts';
import { requireFewFields } from '../json-limits.ts';
import { once } from '../once.ts';
import { compiledOperations } from './compiled/serve.ts';
import { rememberedDocuments } from './cost/documents.ts';
import type { ExecutorOptions } from './executor.ts';
import { type GraphiQLOptions, mountGraphiQLAssets, sendPage, wantsPage } from './graphiql/page.ts';
import { mountSignIn } from './graphiql/sign-in.ts';

export interface GraphQLOptions extends Omit<ExecutorOptions, 'endpoint' | 'documentOf'> {
  /** Whether operations over lists of a service are compiled. */
  readonly compiles: boolean;
  /** Served to browsers that open the endpoint; null treats a browser like any other client. */
  readonly graphiql: GraphiQLOptions | null;
}

const endpoint = '/graphql';

/** When the executor is loaded that no request has asked for, in milliseconds from the start. */
const warmUpMs = 1_000;

/** Serves GraphQL at `/graphql` of the server, with GraphiQL and its assets if they are configured. */
export function mountGraphQL(server: FastifyInstance, options: GraphQLOptions): void {
  const { graphiql, limits } = options;
  const documentOf = rememberedDocuments();
  const compiled = options.compiles ? compiledOperations({ ...options, ...limits, documentOf }) : null;
  /** Yoga and what it brings are a third of all modules: what is compiled is served before they are there. */
  const executor = once(async () => {
    const { createExecutor } = await import('./executor.ts');
    return createExecutor({ ...options, endpoint, documentOf });
  });
  if (options.compiles) server.addHook('onListen', async () => void setTimeout(executor, warmUpMs).unref());
  else void executor();

  server.register(async (scope) => {
    // JSON only. Yoga would execute a form, which another site can submit without a preflight request.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
      // Fastify passes the bytes on as the type says, but its own types do not know it.
      readBody(bytes as Buffer, done);
    });
    scope.addHook('onRequest', (request, _reply, done) => done(codingRefusal(request)));
    scope.setErrorHandler((error, request, reply) => {
      const envelope = errorResponse(error, request);
      return reply
        .status(isUnsupportedMedia(error) ? 415 : envelope.status)
        .send({ errors: [{ message: envelope.detail ?? envelope.title, extensions: envelope }] });
    });
    if (graphiql !== null) mountGraphiQLAssets(scope, endpoint);
    if (graphiql?.signIn) mountSignIn(scope, endpoint, graphiql.signIn);
    scope.route({
      url: endpoint,
      method: ['GET', 'POST', 'OPTIONS'],
      handler: async (request, reply) => {
        if (graphiql !== null && wantsPage(request)) return sendPage(endpoint, graphiql, request, reply);
        reply.hijack();
        // Yoga looks at the path too: it may have been escaped.
        const isCompiled = request.method === 'POST' && pathOf(request) === endpoint;
        const outcome = isCompiled ? await compiled?.(request, reply) : undefined;
        if (outcome !== undefined) request.logFields.compiled = outcome.kind === 'sent' ? 'yes' : outcome.reason;
        if (outcome?.kind === 'sent') return;
        const execute = await executor();
        await execute(request, reply, outcome?.begun);
      },
    });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readBody(bytes: Uint8Array, done: (error: Error | null, body?: unknown) => void): void {
  try {
    const text = utf8.decode(bytes);
    requireFewFields(text);
    done(null, JSON.parse(text));
  } catch (error) {
    // The parser's own message repeats parts of the body.
    const malformed = new ServiceError('malformed_request', { detail: 'The body is not valid JSON in UTF-8.' });
    done(error instanceof ServiceError ? error : malformed);
  }
}
