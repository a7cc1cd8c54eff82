import { GraphQLError } from 'graphql';
import type { DocumentOf } from '../documents/documents.ts';
import type { KnownDocument } from '../documents/known-operation.ts';
import type { Stage } from '../exchange.ts';
import { badRequest } from '../kit/errors.ts';

export interface KnowOperationOptions {
  readonly documentOf: DocumentOf;
}

/**
 * Parses the document and chooses its operation, which the log and telemetry know from here on.
 * @throws LimitError for a document that is too large or would take too long to validate; GraphQLError for one that is not
 *   GraphQL, that has no such operation, or that asks for the schema where nobody may; and for a mutation in a URL
 */
export const knowOperation =
  ({ documentOf }: KnowOperationOptions): Stage =>
  (exchange) => {
    const { http, sent, text } = exchange;
    const document = parsed(documentOf, text);
    const name = sent.operationName ?? null;
    const operation = name === null || typeof name === 'string' ? document.find(name) : undefined;
    if (operation === undefined) throw badRequest('Could not determine what operation to execute.');
    exchange.operation = operation;
    Object.assign(http.facts, operation.facts);
    if (document.schemaError !== null) throw document.schemaError;
    if (operation.isMutation && http.method !== 'POST') {
      const allowed = { status: 405, headers: { Allow: 'POST' } };
      throw badRequest('Can only perform a mutation operation from a POST request.', allowed);
    }
    return null;
  };

function parsed(documentOf: DocumentOf, text: string): KnownDocument {
  try {
    return documentOf(text);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { message, source, positions } = error;
    // A syntax error is the only one that is about no valid document.
    const extensions = { code: 'GRAPHQL_PARSE_FAILED' };
    throw new GraphQLError(message, { source, positions, extensions });
  }
}
