/** The GraphQL face: Yoga on the shared HTTP server. */
import type { FastifyInstance } from 'fastify';
import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { ServiceError } from '../errors.ts';
import { bodyLimitDetail, errorResponse, maxBodyBytes, privateHeaders } from '../http/server.ts';
import { type GraphiQLOptions, mountGraphiQLAssets, sendPage, wantsPage } from './graphiql/page.ts';
import { mountSignIn } from './graphiql/sign-in.ts';
import type { GraphQLContext, Incoming } from './graphql-context.ts';
import { type CallerOptions, useCaller } from './plugins/caller.ts';
import { useParserLimits } from './plugins/parser-limits.ts';
import { isSafe, useServiceErrors } from './plugins/service-errors.ts';
import { useShortErrors } from './plugins/short-errors.ts';
import { useVariableLimits } from './plugins/variable-limits.ts';
import { schema } from './schema.ts';

export interface GraphQLOptions extends CallerOptions {
  /** Served to browsers that open the endpoint; null treats a browser like any other client. */
  readonly graphiql: GraphiQLOptions | null;
}

/** Serves GraphQL at `/graphql` of the server, with GraphiQL and its assets if they are configured. */
export function mountGraphQL(server: FastifyInstance, options: GraphQLOptions): void {
  const { graphiql } = options;
  const yoga = createYoga<Incoming, GraphQLContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    // Yoga's own page loads GraphiQL from a CDN.
    graphiql: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: maxBodyBytes,
    cors: false,
    // Errors of an execution are presented by a plugin, which knows the request. These are the errors outside of one.
    maskedErrors: { maskError: (error) => (isSafe(error) ? error : new GraphQLError('Unexpected error')) },
    plugins: [
      // Before a document is parsed.
      useParserLimits(),
      // Before a valid operation is executed.
      useCaller(options),
      // Of a caller who is known, before graphql-js reads the variables.
      useVariableLimits(),
      // After the execution, and after each event of a subscription.
      useServiceErrors(),
      // A stream of events would be `no-cache`, which lets a cache store it.
      { onResponse: ({ response }) => response.headers.set('cache-control', privateHeaders['cache-control']) },
      // Last: whatever failed before.
      useShortErrors(),
    ],
  });

  server.register(async (scope) => {
    // JSON only. Yoga would execute a form, which another site can submit without a preflight request.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', ({ headers }, _payload, done) => {
      // Yoga reads the body, and limits one that comes without its length; that response is in Yoga's own words.
      const tooLarge = Number(headers['content-length'] ?? 0) > maxBodyBytes;
      done(tooLarge ? new ServiceError('content_too_large', { detail: bodyLimitDetail }) : null);
    });
    scope.setErrorHandler((error, request, reply) => {
      const envelope = errorResponse(error, request);
      return reply
        .status(envelope.status)
        .send({ errors: [{ message: envelope.detail ?? envelope.title, extensions: envelope }] });
    });
    if (graphiql !== null) mountGraphiQLAssets(scope, yoga.graphqlEndpoint);
    if (graphiql?.signIn) mountSignIn(scope, yoga.graphqlEndpoint, graphiql.signIn);
    scope.route({
      url: yoga.graphqlEndpoint,
      method: ['GET', 'POST', 'OPTIONS'],
      handler: (request, reply) => {
        if (graphiql !== null && wantsPage(request)) return sendPage(yoga.graphqlEndpoint, graphiql, request, reply);
        reply.hijack();
        return yoga.handle(request.raw, reply.raw, { http: request });
      },
    });
  });
}
