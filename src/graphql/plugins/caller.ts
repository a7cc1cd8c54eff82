import { type ExecutionArgs, type ExecutionResult, getOperationAST, type SubscriptionArgs } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Admission } from '../../auth/admission.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Stream, Streams } from '../../auth/streams.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { CursorCodec } from '../../paging.ts';
import type { Ports } from '../../ports.ts';
import type { RequestContext } from '../../request-context.ts';
import { isIntrospection } from '../cost/introspection.ts';
import { createContext, type GraphQLContext, type Incoming } from '../graphql-context.ts';
import { presentError } from '../presentation.ts';
import { endingWith } from '../stream-end.ts';
import { createStreamTurns } from '../stream-turns.ts';
import { subscribeInTurns } from '../subscribe.ts';

export interface CallerOptions extends Admission {
  readonly ports: Ports;
  readonly cursors: CursorCodec;
  readonly streams: Streams;
}

/** The part of an execution that this plugin needs, the same for queries, mutations and subscriptions. */
interface Starting {
  readonly args: ExecutionArgs & { readonly contextValue: Incoming };
  readonly setResultAndStopExecution: (result: ExecutionResult) => void;
}

/**
 * Authenticates the caller and creates the context of the resolvers, before anything is executed. Only introspection is
 * possible without an API key. All requests have been counted before (see operation-limits.ts).
 */
export function useCaller({ ports, admit, cursors, streams }: CallerOptions): Plugin<Incoming & GraphQLContext> {
  const turns = createStreamTurns();
  /** The caller of an operation; null if it needs none, or is refused. */
  const identify = async ({ args, setResultAndStopExecution }: Starting): Promise<Caller | null> => {
    const { http, admitted } = args.contextValue;
    try {
      if (admitted !== undefined) return (await admitted).caller;
      const operation = getOperationAST(args.document, args.operationName);
      return operation && !isIntrospection(operation) ? await admit(http) : null;
    } catch (error) {
      setResultAndStopExecution(refusal(error, http));
      return null;
    }
  };
  /** @param signal aborts when the result is no longer needed */
  const contextOf = (
    caller: Caller,
    { id }: IncomingRequest,
    signal: AbortSignal,
    ofRequest: Pick<RequestContext, 'responses' | 'whenClosed'> = {},
  ): GraphQLContext => {
    return createContext({ ports, cursors }, { caller, requestId: id, signal, ...ofRequest });
  };
  return {
    async onExecute(starting) {
      const caller = await identify(starting);
      if (caller === null) return;
      const { http, admitted } = starting.args.contextValue;
      // What was read must not be handed over once a mutation has changed it.
      const responses = http.facts.operationType === 'mutation' ? undefined : (await admitted)?.responses;
      const whenClosed = (callback: () => void) => http.whenClosed(callback);
      starting.extendContext(contextOf(caller, http, http.clientAborted, { responses, whenClosed }));
    },
    // Every subscription is a stream, whatever its field: it is counted, and ends with its key.
    async onSubscribe(starting) {
      const caller = await identify(starting);
      if (caller === null) return;
      const { extendContext, setSubscribeFn } = starting;
      const { http } = starting.args.contextValue;
      // The stream is opened last, so that whatever fails before cannot leave it open.
      setSubscribeFn(async (args: SubscriptionArgs) => {
        let stream: Stream | undefined;
        try {
          stream = streams.open(caller, http.clientAborted);
          extendContext(contextOf(caller, http, stream.signal));
          const { response } = http;
          const result = await subscribeInTurns(args, turns, {
            keyId: caller.keyId,
            cost: http.facts.cost ?? 0,
            selection: http.facts.operationHash ?? http.id,
            unread: () => response.writableLength,
            signal: stream.signal,
          });
          if (isAsyncIterable<ExecutionResult>(result)) {
            return endingWith(stream, result, (ended) => ({ errors: [presentError(ended, http)] }));
          }
          stream.close();
          return result;
        } catch (error) {
          stream?.close();
          return refusal(error, http);
        }
      });
    },
  };
}

/** The result of an operation of which nothing was executed, so that the HTTP status can report the failure. */
const refusal = (error: unknown, http: IncomingRequest): ExecutionResult => ({
  errors: [presentError(error, http, { isWhole: true })],
});
