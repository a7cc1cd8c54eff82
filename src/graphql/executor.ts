/** The executor: Yoga over graphql-js, for every operation that is not compiled. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { oncePerRequest } from '../auth/admission.ts';
import { fromUnknown } from '../errors.ts';
import { privateHeaders } from '../http/headers.ts';
import type { RequestContext } from '../request-context.ts';
import type { DocumentOf } from './cost/documents.ts';
import { endpoint } from './endpoint.ts';
import type { GraphQLContext, Incoming } from './graphql-context.ts';
import { type CallerOptions, useCaller } from './plugins/caller.ts';
import { useJsonRequests } from './plugins/json-requests.ts';
import { type LimitOptions, useOperationLimits } from './plugins/operation-limits.ts';
import { type ResponseOptions, useServiceErrors } from './plugins/service-errors.ts';
import { useShortErrors } from './plugins/short-errors.ts';
import { useStreamCut } from './plugins/stream-cut.ts';
import { useVariableLimits } from './plugins/variable-limits.ts';
import { schema } from './schema.ts';

export interface ExecutorOptions extends CallerOptions {
  readonly documentOf: DocumentOf;
  readonly limits: Omit<LimitOptions, 'documentOf' | 'admitKeyless'> & Pick<ResponseOptions, 'maxResponseBytes'>;
}

/**
 * Executes the operation of a request, and sends the response.
 * @param begun what the compiled path began of it
 */
export type Execute = (request: FastifyRequest, reply: FastifyReply, begun?: Promise<RequestContext>) => Promise<void>;

export function createExecutor(options: ExecutorOptions): Execute {
  const { documentOf, limits } = options;
  const admission = oncePerRequest(options);
  const yoga = createYoga<Incoming, GraphQLContext>({
    schema,
    graphqlEndpoint: endpoint,
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
      useOperationLimits({ ...limits, documentOf, ...admission }),
      // Before a valid operation is executed.
      useCaller({ ...options, ...admission }),
      // Of a caller who is known, before graphql-js reads the variables.
      useVariableLimits(),
      // When a response is made of a subscription.
      useStreamCut(options.streams.ended),
      // A stream of events would be `no-cache`, which lets a cache store it.
      { onResponse: ({ response }) => response.headers.set('cache-control', privateHeaders['cache-control']) },
    ],
  });
  return async (request, reply, begun) => {
    await yoga.handle(request.raw, reply.raw, { http: request, begun });
  };
}

const noCache = { get: () => undefined, set() {} };

/** An error as Yoga passes it on; what it is about is in `originalError`. */
const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError('Unexpected error', { originalError: fromUnknown(error) });
