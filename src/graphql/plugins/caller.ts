import { type ExecutionArgs, type ExecutionResult, getOperationAST, Kind } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type Authenticate, apiKeyOf } from '../../http/server.ts';
import type { CursorCodec } from '../../paging.ts';
import type { Ports } from '../../ports.ts';
import type { RequestContext } from '../../request-context.ts';
import type { GraphQLContext, Incoming } from '../graphql-context.ts';
import { createLoaders } from '../loaders.ts';
import { presentError } from './service-errors.ts';

export interface CallerOptions {
  readonly ports: Ports;
  readonly authenticate: Authenticate;
  readonly cursors: CursorCodec;
}

/** The part of an execution that this plugin needs, the same for queries, mutations and subscriptions. */
interface Starting {
  readonly args: ExecutionArgs & { readonly contextValue: Incoming };
  readonly setResultAndStopExecution: (result: ExecutionResult) => void;
  readonly extendContext: (context: GraphQLContext) => void;
}

/**
 * Authenticates the caller and creates the context of the resolvers, before anything is executed. Only introspection is
 * possible without an API key.
 */
export function useCaller({ ports, authenticate, cursors }: CallerOptions): Plugin<Incoming & GraphQLContext> {
  const identify = async ({ args, setResultAndStopExecution, extendContext }: Starting) => {
    if (isIntrospection(args)) return;
    const { http } = args.contextValue;
    try {
      const caller = await authenticate(apiKeyOf(http));
      const request: RequestContext = { caller, requestId: http.id, signal: http.clientAborted };
      extendContext({ ...request, ports, cursors, loaders: createLoaders(ports, request) });
    } catch (error) {
      // Nothing was executed, so the HTTP status can report the failure.
      setResultAndStopExecution({ errors: [presentError(error, http, { isWhole: true })] });
    }
  };
  return { onExecute: identify, onSubscribe: identify };
}

/** Whether an operation asks for the schema only. A fragment may hide anything, so it counts as more. */
function isIntrospection({ document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>): boolean {
  const operation = getOperationAST(document, operationName);
  const selections = operation?.selectionSet.selections ?? [];
  return selections.every((selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'));
}
