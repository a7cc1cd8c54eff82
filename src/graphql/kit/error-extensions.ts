/** The one dialect of GraphQL errors: what the `extensions` of every error say, wherever the error comes from. */
import type { GraphQLError } from 'graphql';
import type { ErrorCode, ErrorEnvelope, ErrorType } from '../../kernel/errors.ts';

/** The contract's envelope, and its type once more as a value of the enum `ErrorCode`. */
export interface ErrorExtensions extends ErrorEnvelope {
  readonly code: ErrorCode;
}

export const errorExtensions = (envelope: ErrorEnvelope): ErrorExtensions => ({
  code: codeOf(envelope.type),
  ...envelope,
});

const codeOf = (type: ErrorType): ErrorCode =>
  // The methods of strings do not keep literal types.
  type.slice('errors/'.length).toUpperCase() as ErrorCode;

/** An error as clients see it: what it says of the HTTP status is for the response as a whole. */
export function withoutStatus(error: GraphQLError): object {
  const { extensions: { http: _, ...extensions } = {}, ...told } = error.toJSON();
  return { ...told, extensions };
}

/** The body of a response that consists of one error. */
export const errorBody = (envelope: ErrorEnvelope) => ({
  errors: [{ message: envelope.detail ?? envelope.title, extensions: errorExtensions(envelope) }],
});
