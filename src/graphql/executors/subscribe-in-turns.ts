/** graphql-js' subscriptions, with executions of all streams in turns. */

import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  getOperationAST,
  type SubscriptionArgs,
} from 'graphql';
import { isAsyncIterable, mapAsyncIterator } from 'graphql-yoga';
import { ServiceError } from '../../kernel/errors.ts';
import { onAbort } from '../../kernel/lib/on-abort.ts';
import { collectFields, fragmentsOf, includedBy, variablesOf } from '../cost/selections.ts';
import type { StreamTurn, StreamTurns } from './stream-turns.ts';

/** @param turn names the operation. @throws ServiceError `invalid_parameters` if directives leave no field */
export async function subscribeInTurns(
  args: SubscriptionArgs,
  turns: StreamTurns,
  turn: StreamTurn,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  requireField(args);
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

/** graphql-js takes the first field that `@skip` and `@include` leave, if there is one or not. */
function requireField({ document, operationName, variableValues }: SubscriptionArgs): void {
  const operation = getOperationAST(document, operationName);
  if (!operation) return;
  const variables = variablesOf(operation, variableValues);
  const { fields } = collectFields([operation.selectionSet], fragmentsOf(document), {
    includes: (selection) => includedBy(selection, variables),
    applies: () => true,
  });
  if (fields.size > 0) return;
  throw new ServiceError('invalid_parameters', {
    detail: 'The subscription selects no field: @skip and @include leave out the one that it has.',
  });
}
