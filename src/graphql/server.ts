/** The GraphQL face: Yoga on the shared HTTP server, with its plugins in the order in which they act. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST, Kind, parse } from 'graphql';
import { createYoga, handleStreamOrSingleExecutionResult, type Plugin } from 'graphql-yoga';
import { fromUnknown, ServiceError } from '../errors.ts';
import { type Authenticate, apiKeyOf, bodyLimitDetail, errorResponse, maxBodyBytes } from '../http/server.ts';
import type { CursorCodec } from '../paging.ts';
import type { Ports } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';
import { toGraphQLError } from './errors.ts';
import { type GraphiQLOptions, mountGraphiQLAssets, sendPage, wantsPage } from './graphiql/page.ts';
import type { GraphQLContext } from './graphql-context.ts';
import { createLoaders } from './loaders.ts';
import { schema } from './schema.ts';

/** Tokens of one document: about fifty times those of a query for every field there is. */
const maxTokens = 20_000;

export interface GraphQLOptions {
  readonly ports: Ports;
  readonly authenticate: Authenticate;
  readonly cursors: CursorCodec;
  /** For browsers that open the endpoint; null: they are answered like any other client. */
  readonly graphiql: GraphiQLOptions | null;
}

/** What Yoga is given of the HTTP request. */
interface Incoming {
  readonly http: FastifyRequest;
}

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
    // Errors of an execution are described below, with the request at hand; this is for those around it.
    maskedErrors: { maskError: (error) => (isOwnWords(error) ? error : new GraphQLError('Unexpected error')) },
    plugins: [useParserLimits(), useCaller(options), useServiceErrors()],
  });

  server.register(async (scope) => {
    // JSON only: a form that another site submits never gets as far as Yoga, which would execute it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', ({ headers }, _payload, done) => {
      // Yoga reads the body, and has a limit for one that does not say its length; that answer is in its own words.
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

function useParserLimits(): Plugin {
  return {
    onParse: ({ setParseFn }) => setParseFn((source: string) => parse(source, { maxTokens })),
  };
}

/** Finds out who asks before anything runs. Only the schema itself can be asked for without a key. */
function useCaller({ ports, authenticate, cursors }: GraphQLOptions): Plugin<Incoming> {
  const identify = async ({
    args,
    setResultAndStopExecution,
    extendContext,
  }: {
    readonly args: ExecutionArgs;
    readonly setResultAndStopExecution: (result: ExecutionResult) => void;
    readonly extendContext: (context: never) => void;
  }) => {
    if (asksOnlyForSchema(args)) return;
    const { http } = args.contextValue as Incoming;
    try {
      const caller = await authenticate(apiKeyOf(http));
      const request: RequestContext = { caller, requestId: http.id, signal: http.clientAborted };
      const context: GraphQLContext = { ...request, ports, cursors, loaders: createLoaders(ports, request) };
      extendContext(context as never);
    } catch (error) {
      const answer = describe(error, http);
      // Nothing was executed, so that the status can say why.
      answer.extensions.http = { status: fromUnknown(error).status };
      setResultAndStopExecution({ errors: [answer] });
    }
  };
  return { onExecute: identify, onSubscribe: identify };
}

function asksOnlyForSchema({ document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>): boolean {
  const operation = getOperationAST(document, operationName);
  const selections = operation?.selectionSet.selections ?? [];
  return selections.every((selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'));
}

/** Every error of an answer in the contract's terms. */
function useServiceErrors(): Plugin<Incoming> {
  return {
    onExecute: ({ args }) => ({
      onExecuteDone: (payload) =>
        handleStreamOrSingleExecutionResult(payload, ({ result, setResult }) => {
          if (result.errors === undefined) return;
          const { http } = args.contextValue;
          setResult({ ...result, errors: result.errors.map((error) => describe(error, http)) });
        }),
    }),
    onSubscribe: ({ args }) => ({
      onSubscribeResult: ({ result, setResult }) => {
        const { http } = args.contextValue;
        const described = (answer: ExecutionResult): ExecutionResult =>
          answer.errors === undefined
            ? answer
            : { ...answer, errors: answer.errors.map((error) => describe(error, http)) };
        if (!(Symbol.asyncIterator in result)) return setResult(described(result));
        return {
          onNext: ({ result: event, setResult: setEvent }) => {
            if (!(Symbol.asyncIterator in event)) setEvent(described(event as ExecutionResult));
          },
        };
      },
    }),
  };
}

/** An error as the caller may see it. What nobody expected is logged with the request's id, and masked. */
function describe(error: unknown, http: FastifyRequest): GraphQLError {
  if (!(error instanceof GraphQLError)) return toGraphQLError(logged(fromUnknown(error), http), http.id);
  if (error.extensions.type !== undefined) return error;
  const cause = rootCause(error);
  // GraphQL's own complaint about a request or, at a path, about an answer that breaks the schema.
  if (cause === undefined && error.path === undefined) return error;
  // What resolvers throw has a name: at a path, anything else is the executor's.
  const failure =
    error.path === undefined || cause instanceof ServiceError
      ? fromUnknown(cause)
      : new ServiceError('provider_error', { detail: 'What was read does not fit the schema.', cause: error });
  return toGraphQLError(logged(failure, http), http.id, error);
}

/** GraphQL's own errors, and those that have been described. */
const isOwnWords = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError && (error.extensions.type !== undefined || rootCause(error) === undefined);

/** What was thrown in a resolver, out of the errors that executors wrap around it. */
function rootCause(error: GraphQLError): Error | undefined {
  const cause = error.originalError ?? undefined;
  return cause instanceof GraphQLError ? rootCause(cause) : cause;
}

function logged(failure: ServiceError, http: FastifyRequest): ServiceError {
  if (failure.status >= 500) http.log.error({ err: failure.cause ?? failure, type: failure.type }, 'request failed');
  return failure;
}
