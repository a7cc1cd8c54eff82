/** The executor: Yoga and its own execution, for every operation that is not served ahead of the router (short-cut.ts). */
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { oncePerRequest } from '../auth/admission.ts';
import { fromUnknown } from '../errors.ts';
import type { Compress } from '../http/compression.ts';
import { privateHeaders } from '../http/headers.ts';
import type { Tracer } from '../telemetry/telemetry.ts';
import type { DocumentOf } from './cost/documents.ts';
import type { GraphQLContext, Incoming } from './graphql-context.ts';
import type { PersistedQueries } from './persisted-queries.ts';
import { type CallerOptions, useCaller } from './plugins/caller.ts';
import { useGraphQLJs } from './plugins/graphql-js.ts';
import { useJsonRequests } from './plugins/json-requests.ts';
import { useMultipartSubscriptions } from './plugins/multipart-subscriptions.ts';
import { type LimitOptions, useOperationLimits } from './plugins/operation-limits.ts';
import { useOperationSpan } from './plugins/operation-span.ts';
import { useRequestedDocuments } from './plugins/requested-documents.ts';
import { useResponseBody } from './plugins/response-body.ts';
import { useResponseCache } from './plugins/response-cache.ts';
import { useServiceErrors } from './plugins/service-errors.ts';
import { useShortErrors } from './plugins/short-errors.ts';
import { useStreamCut } from './plugins/stream-cut.ts';
import { useUnacceptedStreams } from './plugins/unaccepted-streams.ts';
import { useVariableLimits } from './plugins/variable-limits.ts';
import type { ResponseOptions } from './presentation.ts';
import type { DocumentFinder } from './requested-document.ts';
import type { ResponseCache } from './response-cache.ts';

export interface ExecutorOptions extends CallerOptions {
  readonly findDocument: DocumentFinder;
  readonly schema: GraphQLSchema;
  readonly documentOf: DocumentOf;
  readonly persistedQueries: PersistedQueries;
  readonly tracer?: Tracer | null;
  /** Null, or nothing, where no response is compressed. */
  readonly compress?: Compress | null;
  /** Null, or nothing, where no response is cached. */
  readonly responseCache?: ResponseCache | null;
  readonly limits: Omit<LimitOptions, 'schema' | 'documentOf' | 'admitKeyless'> &
    Pick<ResponseOptions, 'maxResponseBytes'>;
}

/** Executes the operation of a request, and sends the response. */
export type Execute = (incoming: Incoming) => Promise<void>;

export function createExecutor(options: ExecutorOptions): Execute {
  const { schema, documentOf, persistedQueries, findDocument, limits, tracer = null, compress = null } = options;
  const { responseCache = null } = options;
  const admission = oncePerRequest(options);
  const yoga = createYoga<Incoming, GraphQLContext>({
    schema,
    // The router has matched the path, however it is spelt.
    graphqlEndpoint: '*',
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
      // Before the limits look at the document.
      useRequestedDocuments({ persistedQueries, findDocument, ...admission }),
      // Before a document is parsed and validated; and when a response is made, after errors are presented.
      useOperationLimits({ ...limits, schema, documentOf, ...admission }),
      // Before the others, which wrap what executes.
      useGraphQLJs(),
      // Before a valid operation is executed.
      useCaller({ ...options, ...admission }),
      // Of a caller who is known, before graphql-js reads the variables.
      useVariableLimits(),
      // In the place of the execution; and when a response is made, after errors are presented.
      ...(responseCache === null ? [] : [useResponseCache(responseCache)]),
      // Around everything that is executed.
      ...(tracer === null ? [] : [useOperationSpan(tracer)]),
      // When a result is to become a response, behind Yoga's choice of a protocol. The order matters.
      useMultipartSubscriptions(),
      useUnacceptedStreams(),
      // When a response is made of a subscription.
      useStreamCut(options.streams.ended),
      // A stream of events would be `no-cache`, which lets a cache store it.
      { onResponse: ({ response }) => response.headers.set('cache-control', privateHeaders['cache-control']) },
      // Behind whatever makes or replaces a body.
      useResponseBody(compress),
    ],
  });
  return async (incoming) => {
    const { raw, response } = incoming.http;
    await yoga.handle(raw, response, incoming);
  };
}

const noCache = { get: () => undefined, set() {} };

/** An error as Yoga passes it on; what it is about is in `originalError`. */
const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError('Unexpected error', { originalError: fromUnknown(error) });
