/** graphql-js' source of events, with executions of all streams in turns. */

import { createSourceEventStream, type ExecutionResult } from 'graphql';
import { isAsyncIterable, mapAsyncIterator } from 'graphql-yoga';
import { onAbort } from '../../kernel/lib/abort-signal.ts';
import type { Values } from '../documents/variables.ts';
import { type ExecuteOptions, execute } from './resolving/execute.ts';
import type { StreamTurn, StreamTurns } from './stream-turns.ts';

/** @param variables as sent: graphql-js coerces them itself. @param turn names the operation */
export async function subscribeInTurns(
  options: ExecuteOptions,
  variables: Values,
  turns: StreamTurns,
  turn: StreamTurn,
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
  const { end } = turns.open(turn);
  onAbort(turn.signal, end);
  return mapAsyncIterator(events, (rootValue) => {
    const selection = JSON.stringify([turn.selection, operationName, values, rootValue]);
    return turns.take({ ...turn, selection }, () => execute({ ...options, rootValue }));
  });
}
