import { ServiceError } from '../errors.ts';

/**
 * A method of a port that is an addition to the contract: a service that speaks only the contract cannot serve it.
 * @param action what the method would do, as in "offers no way to …"
 * @returns a method that rejects with ServiceError `feature_not_subscribed`
 */
export const unsupported = (action: string) => async (): Promise<never> => {
  throw new ServiceError('feature_not_subscribed', {
    detail: `This gateway runs in front of another service, which offers no way to ${action}.`,
  });
};
