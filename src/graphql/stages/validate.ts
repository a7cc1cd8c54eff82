import type { Stage } from '../exchange.ts';

/** Responds with the errors of a document that is not valid. They are found once, as long as the document is remembered. */
export const validate = (): Stage => (exchange) => {
  const { errors } = exchange.operation.source;
  return errors.length === 0 ? null : { result: { errors } };
};
