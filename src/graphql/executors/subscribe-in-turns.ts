/** graphql-js' source of events, with executions of all streams in turns. */

import { createSourceEventStream, type ExecutionResult } from 'graphql';
import { isAsyncIterable, mapAsyncIterator } from 'graphql-yoga';
import { onAbort } from '../../kernel/lib/abort-signal.ts';
import type { Values } from '../documents/variables.ts';
import { type ExecuteOptions, execute } from './resolving/execute.ts';
import type { StreamTurn, StreamTurns } from './stream-turns.ts';

interface Printer {
  /** For one event, of which the stream keeps nothing. @returns with `end`, which is called once its result is printed */
  readonly begin: () => { readonly context: unknown; readonly end: () => void };
  /** Within the turn of its execution, for all streams that get the result. */
  readonly print: (result: ExecutionResult) => Promise<unknown>;
  readonly bytesOf: (result: ExecutionResult) => number;
}

/** @param variables as sent: graphql-js coerces them itself. @param turn names the operation */
export async function subscribeInTurns(
  options: ExecuteOptions,
  variables: Values,
  turns: StreamTurns,
  turn: StreamTurn,
  { begin, print, bytesOf }: Printer,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const { schema, document, operation, values, context } = options;
  const operationName = operation.name?.value;
  const events = await createSourceEventStream({
    schema,
    document,
    operationName,
    variableValues: variables,
    contextValue: context,
  });
  if (!isAsyncIterable<unknown>(events)) return events;
  /** Bytes of the last result, until the door has written it: then the connection counts it. */
  let unwritten = 0;
  const counted: StreamTurn = {
    ...turn,
    unread: () => Math.max(unwritten, turn.unread()),
    took(result) {
      unwritten = bytesOf(result);
    },
  };
  onAbort(turn.signal, turns.open(counted).end);
  const results = mapAsyncIterator(events, (rootValue) => {
    const selection = JSON.stringify([turn.selection, operationName, values, rootValue]);
    return turns.take({ ...counted, selection }, async () => {
      const { context, end } = begin();
      try {
        const result = await execute({ ...options, context, rootValue });
        await print(result);
        return result;
      } finally {
        end();
      }
    });
  });
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      unwritten = 0;
      return results.next();
    },
    return: () => results.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  } as AsyncIterableIterator<ExecutionResult>;
}
