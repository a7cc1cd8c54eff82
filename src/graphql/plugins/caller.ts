import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Admit } from '../../auth/admission.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Stream, Streams } from '../../auth/streams.ts';
import type { CursorCodec } from '../../paging.ts';
import type { Ports } from '../../ports.ts';
import type { RequestContext } from '../../request-context.ts';
import { isIntrospection } from '../cost/introspection.ts';
import type { GraphQLContext, Incoming } from '../graphql-context.ts';
import { createLoaders } from '../loaders.ts';
import { endingWith } from '../stream-end.ts';
import { presentError } from './service-errors.ts';

export interface CallerOptions {
  readonly ports: Ports;
  readonly admit: Admit;
  readonly cursors: CursorCodec;
  readonly streams: Streams;
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
export function useCaller({ ports, admit, cursors, streams }: CallerOptions): Plugin<Incoming & GraphQLContext> {
  /** @param signalOf when the result is no longer needed */
  const identify = async (
    { args, setResultAndStopExecution, extendContext }: Starting,
    signalOf: (http: Incoming['http'], caller: Caller) => AbortSignal,
  ) => {
    const operation = getOperationAST(args.document, args.operationName);
    // Without an operation nothing is executed.
    if (!operation || isIntrospection(operation)) return;
    const { http } = args.contextValue;
    try {
      const caller = await admit(http);
      const request: RequestContext = { caller, requestId: http.id, signal: signalOf(http, caller) };
      extendContext({ ...request, ports, cursors, loaders: createLoaders(ports, request) });
    } catch (error) {
      // Nothing was executed, so the HTTP status can report the failure.
      setResultAndStopExecution({ errors: [presentError(error, http, { isWhole: true })] });
    }
  };
  return {
    onExecute: (starting) => identify(starting, (http) => http.clientAborted),
    // Every subscription is a stream, whatever its field: it is counted, and ends with its key.
    async onSubscribe(starting) {
      let stream: Stream | undefined;
      await identify(starting, (http, caller) => {
        stream = streams.open(caller, http.clientAborted);
        return stream.signal;
      });
      if (stream === undefined) return undefined;
      const opened = stream;
      const { http } = starting.args.contextValue;
      return {
        onSubscribeResult({ result, setResult }) {
          if (!isAsyncIterable<ExecutionResult>(result)) return opened.close();
          setResult(endingWith(opened, result, (refusal) => ({ errors: [presentError(refusal, http)] })));
        },
      };
    },
  };
}
