/** graphql-js' subscriptions, with executions of all streams in turns. */

import { createSourceEventStream, type ExecutionResult, execute, type SubscriptionArgs } from 'graphql';
import { isAsyncIterable, mapAsyncIterator } from 'graphql-yoga';
import { onAbort } from '../../kernel/lib/on-abort.ts';
import type { StreamTurn, StreamTurns } from './stream-turns.ts';

/** @param turn names the operation */
export async function subscribeInTurns(
  args: SubscriptionArgs,
  turns: StreamTurns,
  turn: StreamTurn,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const events = await createSourceEventStream(args);
  if (!isAsyncIterable<unknown>(events)) return events;
  const { end } = turns.open(turn);
  onAbort(turn.signal, end);
  const { variableValues, operationName } = args;
  return mapAsyncIterator(events, (rootValue) => {
    const selection = JSON.stringify([turn.selection, operationName, variableValues, rootValue]);
    return turns.take({ ...turn, selection }, async () => execute({ ...args, rootValue }));
  });
}
