/** The GraphQL face: Yoga on the shared HTTP server. */
import type { FastifyInstance } from 'fastify';
import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { fromUnknown, ServiceError } from '../errors.ts';
import { errorResponse, isUnsupportedMedia, pathOf, privateHeaders, requireUnencoded } from '../http/server.ts';
import { requireFewFields } from '../json-limits.ts';
import { compiledOperations } from './compiled/serve.ts';
import { rememberedDocuments } from './cost/documents.ts';
import { type GraphiQLOptions, mountGraphiQLAssets, sendPage, wantsPage } from './graphiql/page.ts';
import { mountSignIn } from './graphiql/sign-in.ts';
import type { GraphQLContext, Incoming } from './graphql-context.ts';
import { type CallerOptions, useCaller } from './plugins/caller.ts';
import { useJsonRequests } from './plugins/json-requests.ts';
import { type LimitOptions, useOperationLimits } from './plugins/operation-limits.ts';
import { type ResponseOptions, useServiceErrors } from './plugins/service-errors.ts';
import { useShortErrors } from './plugins/short-errors.ts';
import { useVariableLimits } from './plugins/variable-limits.ts';
import { schema } from './schema.ts';

export interface GraphQLOptions extends CallerOptions {
  readonly limits: Omit<LimitOptions, 'documentOf' | 'admitKeyless'> & Pick<ResponseOptions, 'maxResponseBytes'>;
  /** Whether operations over lists of a service are compiled. */
  readonly compiles: boolean;
  /** Served to browsers that open the endpoint; null treats a browser like any other client. */
  readonly graphiql: GraphiQLOptions | null;
}

/** Serves GraphQL at `/graphql` of the server, with GraphiQL and its assets if they are configured. */
export function mountGraphQL(server: FastifyInstance, options: GraphQLOptions): void {
  const { graphiql, limits } = options;
  const documentOf = rememberedDocuments();
  const compiled = options.compiles ? compiledOperations({ ...options, ...limits, documentOf }) : null;
  const yoga = createYoga<Incoming, GraphQLContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    // Yoga's own page loads GraphiQL from a CDN.
    graphiql: false,
    logging: false,
    multipart: false,
    // The HTTP server reads the body, within its own limit.
    maxRequestBodySize: false,
    // Of documents we keep our own, as Yoga's is not bounded in bytes. What was validated once is not validated again.
    parserAndValidationCache: { documentCache: noCache, errorCache: noCache },
    cors: false,
    // Errors are presented where responses are made, which knows the request.
    maskedErrors: { maskError: asGraphQLError },
    plugins: [
      // Before a request is read.
      useJsonRequests(),
      // When a response is made, before errors are presented.
      useShortErrors(),
      // When a response is made, and after each event of a subscription.
      useServiceErrors({ ...limits, suggestions: limits.introspection }),
      // Before a document is parsed and validated; and when a response is made, after errors are presented.
      useOperationLimits({ ...limits, documentOf, admitKeyless: options.admitKeyless }),
      // Before a valid operation is executed.
      useCaller(options),
      // Of a caller who is known, before graphql-js reads the variables.
      useVariableLimits(),
      // A stream of events would be `no-cache`, which lets a cache store it.
      { onResponse: ({ response }) => response.headers.set('cache-control', privateHeaders['cache-control']) },
    ],
  });

  server.register(async (scope) => {
    // JSON only. Yoga would execute a form, which another site can submit without a preflight request.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
      // Fastify passes the bytes on as the type says, but its own types do not know it.
      readBody(bytes as Buffer, done);
    });
    scope.addHook('onRequest', async (request) => requireUnencoded(request));
    scope.setErrorHandler((error, request, reply) => {
      const envelope = errorResponse(error, request);
      return reply
        .status(isUnsupportedMedia(error) ? 415 : envelope.status)
        .send({ errors: [{ message: envelope.detail ?? envelope.title, extensions: envelope }] });
    });
    if (graphiql !== null) mountGraphiQLAssets(scope, yoga.graphqlEndpoint);
    if (graphiql?.signIn) mountSignIn(scope, yoga.graphqlEndpoint, graphiql.signIn);
    scope.route({
      url: yoga.graphqlEndpoint,
      method: ['GET', 'POST', 'OPTIONS'],
      handler: async (request, reply) => {
        if (graphiql !== null && wantsPage(request)) return sendPage(yoga.graphqlEndpoint, graphiql, request, reply);
        reply.hijack();
        // Yoga looks at the path too: it may have been escaped.
        const isCompiled = request.method === 'POST' && pathOf(request) === yoga.graphqlEndpoint;
        const outcome = isCompiled ? await compiled?.(request, reply) : undefined;
        if (outcome !== undefined) request.logFields.compiled = outcome.kind === 'sent' ? 'yes' : outcome.reason;
        if (outcome?.kind === 'sent') return;
        await yoga.handle(request.raw, reply.raw, { http: request, begun: outcome?.begun });
      },
    });
  });
}

const noCache = { get: () => undefined, set() {} };

/** An error as Yoga passes it on; what it is about is in `originalError`. */
const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError('Unexpected error', { originalError: fromUnknown(error) });

function readBody(bytes: Uint8Array, done: (error: Error | null, body?: unknown) => void): void {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    requireFewFields(text);
    done(null, JSON.parse(text));
  } catch (error) {
    // The parser's own message repeats parts of the body.
    const malformed = new ServiceError('malformed_request', { detail: 'The body is not valid JSON in UTF-8.' });
    done(error instanceof ServiceError ? error : malformed);
  }
}
