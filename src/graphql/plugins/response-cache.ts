import { getOperationAST } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { createContext, type GraphQLContext, type Incoming } from '../graphql-context.ts';
import type { CacheLookup, ResponseCache } from '../response-cache.ts';

/** Puts cached responses in the place of the execution, and caches others. */
export function useResponseCache(cache: ResponseCache): Plugin<Incoming & GraphQLContext, Incoming> {
  /** Those of operations that are executed. */
  const executing = new WeakMap<IncomingRequest, CacheLookup>();
  return {
    async onExecute({ args: { document, operationName, contextValue }, setResultAndStopExecution, extendContext }) {
      const context: YogaInitialContext & Incoming & Partial<GraphQLContext> = contextValue;
      const operation = getOperationAST(document, operationName);
      const { http, caller, params } = context;
      // An introspection needs no caller.
      if (operation?.operation !== 'query' || caller === undefined || typeof params.query !== 'string') return;
      const cached = await cache.lookup({
        request: http,
        caller,
        text: params.query,
        document,
        operation,
        variables: params.variables ?? {},
      });
      if (cached === null) return;
      if (cached.body !== null) return setResultAndStopExecution(JSON.parse(Buffer.from(cached.body).toString()));
      executing.set(http, cached);
      extendContext(createContext(contextValue, { ...contextValue, generation: cached.generation }));
    },
    onResultProcess({ result, serverContext: { http } }) {
      const cached = executing.get(http);
      if (cached === undefined || Array.isArray(result) || Symbol.asyncIterator in result) return;
      // What a header asks for, such as the cost, is beside the data.
      const { data, errors } = result;
      if (errors === undefined && data) cached.set(JSON.stringify({ data }));
    },
  };
}
