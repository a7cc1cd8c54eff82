import { notOffered } from '../kernel/errors.ts';

/**
 * A method of a port that is an addition to the contract: a service that speaks only the contract cannot serve it.
 * @param action what the method would do, as in "offers no way to …"
 * @returns a method that rejects with ServiceError `feature_not_subscribed`
 */
export const unsupported = (action: string) => async (): Promise<never> => {
  throw notOffered(action);
};
