import type { Stage } from '../exchange.ts';

/** Responds with the errors of variables that do not fit their types. */
export const coerce = (): Stage => (exchange) => {
  const coerced = exchange.operation.coerce(exchange.variables);
  if ('errors' in coerced) return { result: coerced };
  exchange.values = coerced.values;
  return null;
};
