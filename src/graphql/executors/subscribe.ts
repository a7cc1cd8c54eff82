import type { ExecutionResult } from 'graphql';
import type { Streams } from '../../auth/streams.ts';
import { missingKey } from '../../kernel/caller.ts';
import type { Executor } from '../exchange.ts';
import { createContext } from '../graphql-context.ts';
import { presentError } from '../presentation.ts';
import { Declined } from './declined.ts';
import type { GraphQLJsOptions } from './graphql-js.ts';
import { endingWith } from './stream-end.ts';
import { createStreamTurns } from './stream-turns.ts';

export interface SubscribeOptions extends GraphQLJsOptions {
  readonly streams: Streams;
}

/** Takes subscriptions. Every one is a stream, whatever its field: it is counted, and ends with its key. */
export const subscribe = ({ streams, schema, ...options }: SubscribeOptions): Executor => {
  const turns = createStreamTurns();
  return async (exchange) => {
    const { caller, operation, variables, http } = exchange;
    if (!operation.isSubscription) return new Declined(operation.type);
    if (caller === null) throw missingKey();
    // It brings parts of Yoga, which what needs no stream does not wait for.
    const { subscribeInTurns } = await import('./subscribe-in-turns.ts');
    const stream = streams.open(caller, http.clientAborted);
    let isOpen = false;
    try {
      const { facts, response, id } = http;
      const asked = {
        schema,
        document: operation.document,
        operationName: operation.node.name?.value,
        variableValues: variables,
        contextValue: createContext(options, exchange.contextOf(caller, stream.signal)),
      };
      const results = await subscribeInTurns(asked, turns, {
        keyId: caller.keyId,
        cost: facts.cost ?? 0,
        selection: facts.operationHash ?? id,
        unread: () => response.writableLength,
        signal: stream.signal,
      });
      if (!(Symbol.asyncIterator in results)) return { result: results };
      isOpen = true;
      const lastResult = (ended: Error): ExecutionResult => ({ errors: [presentError(ended, http)] });
      return { results: endingWith(stream, results, lastResult) };
    } finally {
      // Whatever fails on the way to the first event cannot leave it open.
      if (!isOpen) stream.close();
    }
  };
};
