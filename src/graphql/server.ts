/** The GraphQL face on the shared HTTP server: the executor, for what is not served ahead of the router (short-cut.ts). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { codingRefusal, errorResponse, isUnsupportedMedia } from '../http/server.ts';
import { once } from '../once.ts';
import { endpoint } from './endpoint.ts';
import { errorBody } from './error-extensions.ts';
import type { ExecutorOptions } from './executor.ts';
import { type GraphiQLOptions, mountGraphiQL, wantsPage } from './graphiql/page.ts';
import type { GraphQLShortCut } from './short-cut.ts';

export interface GraphQLOptions extends ExecutorOptions {
  /** What serves most operations ahead of the router; null where nothing does. */
  readonly shortCut: GraphQLShortCut | null;
  /** Served to browsers that open the endpoint; null treats a browser like any other client. */
  readonly graphiql: GraphiQLOptions | null;
}

/** When the executor is loaded that no request has asked for, in milliseconds from the start. */
const warmUpMs = 1_000;

/** Serves GraphQL at the endpoint, with GraphiQL and its assets if they are configured. */
export function mountGraphQL(server: FastifyInstance, options: GraphQLOptions): void {
  const { graphiql, shortCut } = options;
  /** Yoga and what it brings are a third of all modules: what is served ahead of the router does not wait for them. */
  const executor = once(async () => {
    const { createExecutor } = await import('./executor.ts');
    return createExecutor(options);
  });
  // A module that cannot be loaded fails the first request that needs it, which loads it again.
  const load = () => {
    executor().catch((error: unknown) => server.log.warn({ err: error }, 'a part of the gateway could not be loaded'));
  };
  if (shortCut === null) load();
  else
    server.addHook('onListen', async () => {
      setTimeout(load, warmUpMs).unref();
    });

  server.register(async (scope) => {
    // JSON only. Yoga would execute a form, which another site can submit without a preflight request.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', ({ incoming }: FastifyRequest) => incoming.json());
    scope.addHook('onRequest', (request, _reply, done) => done(codingRefusal(request)));
    scope.setErrorHandler((error, request, reply) => {
      const envelope = errorResponse(error, request);
      return reply.status(isUnsupportedMedia(error) ? 415 : envelope.status).send(errorBody(envelope));
    });
    const sendPage = graphiql === null ? null : mountGraphiQL(scope, endpoint, graphiql);
    scope.route({
      url: endpoint,
      method: ['GET', 'POST', 'OPTIONS'],
      handler: async (request, reply) => {
        if (sendPage !== null && wantsPage(request)) return sendPage(request, reply);
        reply.hijack();
        const execute = await executor();
        await execute(request, reply, shortCut?.admittedContextOf(request.incoming));
      },
    });
  });
}
