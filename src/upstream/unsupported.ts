import { ServiceError } from '../errors.ts';

/** A method of a port that is an addition to the contract: a service that speaks only the contract cannot serve it. */
export const notServed = (what: string) => async (): Promise<never> => {
  throw new ServiceError('feature_not_subscribed', {
    detail: `This gateway stands before another service, which offers no way to ${what}.`,
  });
};
