import type { Exchange, Outcome, Stage } from '../exchange.ts';
import type { CacheLookup, ResponseCache } from '../response-cache.ts';

export interface LookUpOptions {
  /** Null where no response is cached. */
  readonly responseCache: ResponseCache | null;
}

/** Responds with what is in the response cache. */
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
