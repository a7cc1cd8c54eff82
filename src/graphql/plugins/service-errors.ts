import { type ExecutionResult, getOperationAST } from 'graphql';
import { mapAsyncIterator, type Plugin } from 'graphql-yoga';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { Incoming } from '../graphql-context.ts';
import { presentResult, type ResponseOptions } from '../presentation.ts';

/**
 * Presents every error of every response, and of each event of a subscription, in the contract's terms. It stands where
 * responses are made, so that nothing can fail without passing it: not the request itself, not a parser, not a plugin.
 */
export function useServiceErrors(options: ResponseOptions): Plugin<Incoming, Incoming> {
  /** Requests whose mutations were run. */
  const changing = new WeakSet<IncomingRequest>();
  return {
    onExecute({ args: { document, operationName, contextValue } }) {
      const isMutation = getOperationAST(document, operationName)?.operation === 'mutation';
      if (isMutation) changing.add(contextValue.http);
    },
    onResultProcess({ result, setResult, serverContext: { http } }) {
      // Batches are off.
      if (Array.isArray(result)) return;
      const present = (each: ExecutionResult) => presentResult(each, changing.has(http), () => http, options);
      setResult(isStream(result) ? mapAsyncIterator(result, present) : present(result));
    },
  };
}

const isStream = <T extends object>(result: T | AsyncIterable<T>): result is AsyncIterable<T> =>
  Symbol.asyncIterator in result;
