/** What the log, metrics and traces say of an operation. */
import { hash } from 'node:crypto';
import type { OperationDefinitionNode } from 'graphql';
import type { RequestFacts } from '../http/incoming-request.ts';
import type { SpanOptions } from '../telemetry/telemetry.ts';

export type OperationFacts = Pick<RequestFacts, 'operation' | 'operationType' | 'operationHash'>;

/** Names are the client's, and may be as long as a document can be. */
const maxName = 100;
/** 64 bits tell the documents of all clients from one another. */
const hashDigits = 16;

/** By the operations of the documents that the cache of documents holds. */
const known = new WeakMap<OperationDefinitionNode, OperationFacts>();

/** @param text the document, as it was sent */
export function operationFacts(operation: OperationDefinitionNode, text: string): OperationFacts {
  const found = known.get(operation);
  if (found !== undefined) return found;
  const name = operation.name?.value.slice(0, maxName);
  const facts: OperationFacts = {
    ...(name === undefined ? {} : { operation: name }),
    operationType: operation.operation,
    operationHash: hash('sha256', text).slice(0, hashDigits),
  };
  known.set(operation, facts);
  return facts;
}

/** The span around the execution of an operation. */
export function spanOf({ operation, operationType = 'operation' }: OperationFacts): {
  name: string;
  options: SpanOptions;
} {
  return {
    name: operation === undefined ? operationType : `${operationType} ${operation}`,
    options: { attributes: { 'graphql.operation.name': operation, 'graphql.operation.type': operationType } },
  };
}
