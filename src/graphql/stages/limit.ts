import { LimitError, maxIntrospectionCost } from '../cost/limits.ts';
import type { Stage } from '../exchange.ts';

export interface LimitOptions {
  /** The largest cost of an operation. */
  readonly maxCost: number;
}

/**
 * Refuses an operation that is too expensive before it is validated. The validation itself can take minutes for a document
 * that is made for it, and a response that is too large is too late to refuse.
 * @throws LimitError
 */
export const limit =
  ({ maxCost }: LimitOptions): Stage =>
  (exchange) => {
    const { operation, http, variables } = exchange;
    // Put together from what was executed once (executors/introspect.ts).
    if (operation.project !== null) return null;
    const cost = operation.costOf(variables);
    const most = operation.isIntrospection ? Math.min(maxCost, maxIntrospectionCost) : maxCost;
    exchange.cost = { requestedCost: cost, limit: most };
    http.facts.cost = cost;
    if (cost > most) throw new LimitError('cost', most, cost);
    return null;
  };
