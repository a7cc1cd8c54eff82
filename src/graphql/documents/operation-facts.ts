/** What the log, metrics and traces say of an operation. */
import { hash } from 'node:crypto';
import type { OperationDefinitionNode } from 'graphql';
import type { RequestFacts } from '../../http/incoming-request.ts';
import type { SpanOptions } from '../../telemetry/telemetry.ts';

export type OperationFacts = Pick<RequestFacts, 'operation' | 'operationType' | 'operationHash'>;

/** Names are the client's, and may be as long as a document can be. */
const maxName = 100;
/** 64 bits tell the documents of all clients from one another. */
const hashDigits = 16;

/** @param text the document, as it was sent */
export function operationFacts({ name, operation }: OperationDefinitionNode, text: string): OperationFacts {
  return {
    ...(name === undefined ? {} : { operation: name.value.slice(0, maxName) }),
    operationType: operation,
    operationHash: hash('sha256', text).slice(0, hashDigits),
  };
}

/** The span around the execution of an operation. */
export function spanOf({ operation, operationType = 'operation' }: OperationFacts): {
  readonly name: string;
  readonly options: SpanOptions;
} {
  return {
    name: operation === undefined ? operationType : `${operationType} ${operation}`,
    options: { attributes: { 'graphql.operation.name': operation, 'graphql.operation.type': operationType } },
  };
}
