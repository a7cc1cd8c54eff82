import { type ErrorName, ServiceError } from '../kernel/errors.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import type { Upstream } from './client.ts';

const ambiguous: ReadonlySet<ErrorName> = new Set(['invalid_credentials', 'expired_credentials']);

/** Reads something that takes a key and no account. */
export type AskWithKey = (upstream: Upstream, context: RequestContext) => Promise<unknown>;

/** A missing scope says that the key is accepted. */
export const refusesKey = ({ errorName, family }: ServiceError): boolean =>
  family === 'key' && (errorName === 'missing_credentials' || ambiguous.has(errorName));

/** Makes failures of the family `account` concern the account: a service may say the same of a refused key. */
export function disambiguateCredentials(upstream: Upstream, askWithKey: AskWithKey): Upstream {
  /** If the service does not say, the account is to blame. */
  async function classify(context: RequestContext, failure: ServiceError): Promise<ServiceError> {
    try {
      await askWithKey(upstream, { ...context, idempotency: undefined });
    } catch (error) {
      if (!(error instanceof ServiceError)) return failure;
      // With the gateway's own key it is our fault.
      if (error.cause instanceof ServiceError && refusesKey(error.cause)) return error;
      if (refusesKey(error)) return failure.with({ family: 'key' });
    }
    return failure;
  }

  const classified = <Result>(context: RequestContext, result: Promise<Result>): Promise<Result> =>
    result.catch(async (error: unknown) => {
      const isAmbiguous = error instanceof ServiceError && error.family === 'account' && ambiguous.has(error.errorName);
      throw isAmbiguous ? await classify(context, error) : error;
    });

  return {
    ...upstream,
    call: (context, endpoint, request) => classified(context, upstream.call(context, endpoint, request)),
    read: (context, endpoint, request) => classified(context, upstream.read(context, endpoint, request)),
  };
}
