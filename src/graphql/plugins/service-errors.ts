import type { FastifyRequest } from 'fastify';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { handleStreamOrSingleExecutionResult, type Plugin } from 'graphql-yoga';
import { fromUnknown, ServiceError } from '../../errors.ts';
import { toGraphQLError } from '../errors.ts';
import type { Incoming } from '../graphql-context.ts';

/** Presents every error of a response, and of each event of a subscription, in the contract's terms. */
export function useServiceErrors(): Plugin<Incoming> {
  return {
    onExecute: ({ args: { contextValue } }) => ({
      onExecuteDone: (payload) =>
        handleStreamOrSingleExecutionResult(payload, ({ result, setResult }) =>
          setResult(presentErrors(result, contextValue.http)),
        ),
    }),
    onSubscribe: ({ args: { contextValue } }) => ({
      onSubscribeResult: ({ result, setResult }) => {
        if (!isStream(result)) return setResult(presentErrors(result, contextValue.http));
        return {
          onNext: ({ result: event, setResult: setEvent }) => {
            if (!isStream(event)) setEvent(presentErrors(event, contextValue.http));
          },
        };
      },
    }),
  };
}

const isStream = <T extends object>(result: T | AsyncIterable<unknown>): result is AsyncIterable<unknown> =>
  Symbol.asyncIterator in result;

function presentErrors<Result extends ExecutionResult>(result: Result, http: FastifyRequest): Result {
  if (result.errors === undefined) return result;
  return { ...result, errors: result.errors.map((error) => presentError(error, http)) };
}

/** An error as the caller may see it. Unexpected errors are masked, and logged with the id of the request. */
export function presentError(error: unknown, http: FastifyRequest): GraphQLError {
  if (!(error instanceof GraphQLError)) return toGraphQLError(logged(fromUnknown(error), http), http.id);
  if (isPresented(error)) return error;
  const cause = rootCause(error);
  // graphql-js reports an invalid request without a path, and a value that does not fit the schema with one.
  if (cause === undefined && error.path === undefined) return error;
  // Resolvers throw nothing but ServiceErrors (see `wrapResolverErrors`): at a path, the rest is graphql-js' own.
  const failure =
    error.path === undefined || cause instanceof ServiceError
      ? fromUnknown(cause)
      : new ServiceError('provider_error', { detail: 'What was read does not fit the schema.', cause: error });
  return toGraphQLError(logged(failure, http), http.id, error);
}

/** Whether a caller may see the error as it is: graphql-js reports an invalid request, or it was presented before. */
export const isSafe = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError && (isPresented(error) || rootCause(error) === undefined);

const isPresented = ({ extensions }: GraphQLError): boolean => extensions.type !== undefined;

/** What a resolver threw, out of the errors that executors wrap around it. */
function rootCause(error: GraphQLError): Error | undefined {
  const cause = error.originalError ?? undefined;
  return cause instanceof GraphQLError ? rootCause(cause) : cause;
}

function logged(failure: ServiceError, http: FastifyRequest): ServiceError {
  if (failure.status >= 500) http.log.error({ err: failure.cause ?? failure, type: failure.type }, 'request failed');
  http.addHeaders(failure.headers);
  return failure;
}
