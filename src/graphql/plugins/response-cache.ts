import type { FastifyRequest } from 'fastify';
import { getOperationAST } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import { createContext, type GraphQLContext, type Incoming } from '../graphql-context.ts';
import type { OpenedResponse, ResponseCache } from '../response-cache.ts';

/** Puts responses that are kept in the place of the execution, and keeps others. */
export function useResponseCache(cache: ResponseCache): Plugin<Incoming & GraphQLContext, Incoming> {
  /** Those of operations that are executed. */
  const executing = new WeakMap<FastifyRequest, OpenedResponse>();
  return {
    async onExecute({ args: { document, operationName, contextValue }, setResultAndStopExecution, extendContext }) {
      const context: YogaInitialContext & Incoming & Partial<GraphQLContext> = contextValue;
      const operation = getOperationAST(document, operationName);
      const { http, caller, params } = context;
      // An introspection needs no caller.
      if (operation?.operation !== 'query' || caller === undefined || typeof params.query !== 'string') return;
      const opened = await cache.open({
        request: http.incoming,
        caller,
        text: params.query,
        document,
        operation,
        variables: params.variables ?? {},
      });
      if (opened === null) return;
      if (opened.body !== null) return setResultAndStopExecution(JSON.parse(Buffer.from(opened.body).toString()));
      executing.set(http, opened);
      extendContext(createContext(contextValue, { ...contextValue, generation: opened.generation }));
    },
    onResultProcess({ result, serverContext: { http } }) {
      const opened = executing.get(http);
      if (opened === undefined || Array.isArray(result) || Symbol.asyncIterator in result) return;
      // What a header asks for, such as the cost, is beside the data.
      const { data, errors } = result;
      if (errors === undefined && data) opened.keep(JSON.stringify({ data }));
    },
  };
}
