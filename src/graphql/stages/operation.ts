/** Gates of an operation. */
import { missingKey } from '../../kernel/caller.ts';
import { LimitError, maxIntrospectionCost } from '../cost/limits.ts';
import type { Exchange, Outcome, Stage } from '../exchange.ts';
import type { CacheLookup, ResponseCache } from '../response-cache.ts';

const wholeSchema = 'The whole schema is at /schema.graphql.';

export interface LimitOptions {
  readonly maxCost: number;
}

/** Before validation, which can take minutes for a malicious document. @throws LimitError */
export const limit =
  ({ maxCost }: LimitOptions): Stage =>
  (exchange) => {
    const { operation, http, variables } = exchange;
    // Prepared (executors/introspect.ts).
    if (operation.project !== null) return null;
    const cost = operation.costOf(variables);
    const most = operation.isIntrospection ? Math.min(maxCost, maxIntrospectionCost) : maxCost;
    exchange.cost = { requestedCost: cost, limit: most };
    http.facts.cost = cost;
    if (cost > most) throw new LimitError('cost', most, cost, operation.isIntrospection ? wholeSchema : undefined);
    return null;
  };

/** Refuses an invalid document. Its errors are found once, as long as it is remembered. */
export const validate = (): Stage => (exchange) => {
  const { errors } = exchange.operation.source;
  return errors.length === 0 ? null : { result: { errors } };
};

/** Only introspection is keyless. @throws ServiceError `missing_credentials` */
export const authorize =
  (): Stage =>
  ({ caller, operation }) => {
    if (caller === null && !operation.isIntrospection) throw missingKey();
    return null;
  };

export const coerce = (): Stage => (exchange) => {
  const coerced = exchange.operation.coerce(exchange.variables);
  if ('errors' in coerced) return { result: coerced };
  exchange.values = coerced.values;
  return null;
};

export interface LookUpOptions {
  readonly responseCache: ResponseCache | null;
}

export const lookUp =
  ({ responseCache }: LookUpOptions): Stage =>
  (exchange) => {
    const { caller, operation, variables, http } = exchange;
    // An introspection needs no caller.
    if (responseCache === null || caller === null || operation.type !== 'query') return null;
    const found = responseCache.lookup({ request: http, caller, operation, variables });
    return found instanceof Promise ? found.then((lookup) => keep(exchange, lookup)) : keep(exchange, found);
  };

function keep(exchange: Exchange, lookup: CacheLookup | null): Outcome | null {
  exchange.cached = lookup;
  return lookup?.body ? { body: lookup.body } : null;
}
