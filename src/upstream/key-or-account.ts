/**
 * Tells a refused API key from a refused account. `invalid_credentials` and `expired_credentials` can mean either at an
 * endpoint that acts for an account (contract, "Authentication", 2 and 4). At an endpoint that acts for none "the
 * credentials in question are the API key" (contract, "Errors", 401), so such an endpoint is asked with the same key.
 */
import { type ErrorName, ServiceError } from '../kernel/errors.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import type { Upstream } from './client.ts';

const ambiguous: ReadonlySet<ErrorName> = new Set(['invalid_credentials', 'expired_credentials']);

/** Reads something that takes a key and no account. */
export type AskWithKey = (upstream: Upstream, context: RequestContext) => Promise<unknown>;

/** What a key that is not accepted is refused with. A scope that it lacks says that it is accepted. */
export const refusesKey = ({ errorName, family }: ServiceError): boolean =>
  family === 'key' && (errorName === 'missing_credentials' || ambiguous.has(errorName));

/** The same client, whose failures of the family `account` are about the account. */
export function tellKeyFromAccount(upstream: Upstream, askWithKey: AskWithKey): Upstream {
  /** The failure with the one who is to blame. If the service does not say, it stays with the account. */
  async function blame(context: RequestContext, failure: ServiceError): Promise<ServiceError> {
    try {
      await askWithKey(upstream, { ...context, idempotency: undefined });
    } catch (error) {
      if (!(error instanceof ServiceError)) return failure;
      // All calls are made with the gateway's own key: callers are told that it is our fault.
      if (error.cause instanceof ServiceError && refusesKey(error.cause)) return error;
      const { errorName, status, title, detail } = failure;
      if (refusesKey(error)) {
        return new ServiceError(errorName, {
          status,
          title,
          ...(detail === undefined ? {} : { detail }),
          family: 'key',
        });
      }
    }
    return failure;
  }

  async function told<Result>(context: RequestContext, result: Promise<Result>): Promise<Result> {
    try {
      return await result;
    } catch (error) {
      const isAmbiguous = error instanceof ServiceError && error.family === 'account' && ambiguous.has(error.errorName);
      throw isAmbiguous ? await blame(context, error) : error;
    }
  }

  return {
    ...upstream,
    call: (context, endpoint, request) => told(context, upstream.call(context, endpoint, request)),
    read: (context, endpoint, request) => told(context, upstream.read(context, endpoint, request)),
  };
}
