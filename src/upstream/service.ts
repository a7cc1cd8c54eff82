/** The service as ports call it: equal reads of a request share a response, and a refused key is told from a refused account. */
import { type ContractEndpoint, pathParameters } from '../kernel/endpoint.ts';
import { type ErrorName, ServiceError } from '../kernel/errors.ts';
import { type RequestContext, readValue, type WireResponse } from '../kernel/request-context.ts';
import type { EndpointOf, Upstream } from './client.ts';

/** Reads something that takes a key and no account. */
export type AskWithKey = (upstream: Upstream, context: RequestContext) => Promise<unknown>;

/** Failures are remembered as they are told. */
export const serviceOf = (upstream: Upstream, askWithKey: AskWithKey): Upstream =>
  rememberReads(disambiguateCredentials(upstream, askWithKey));

/** Reads the same once for {@link RequestContext.responses}, which also releases it: executors take over from others. */
function rememberReads(upstream: Upstream): Upstream {
  const parameters = new Map<ContractEndpoint, readonly string[]>();

  function keyOf(endpoint: ContractEndpoint, request: object): string {
    const names = parameters.get(endpoint) ?? [...pathParameters(endpoint), ...Object.keys(endpoint.query ?? {})];
    parameters.set(endpoint, names);
    return endpoint.name + JSON.stringify(names.map((name) => Reflect.get(request, name)));
  }

  return {
    ...upstream,
    read(context, endpoint, request) {
      const { responses } = context;
      if (responses === undefined) return upstream.read(context, endpoint, request);
      const key = keyOf(endpoint, request);
      // The key names the endpoint: nothing else is kept under it.
      const known = responses.get(key) as Promise<WireResponse> | undefined;
      if (known !== undefined) return known;
      const read = upstream.read(context, endpoint, request);
      responses.set(key, read);
      return read;
    },
    call<Request extends object, Response>(
      context: RequestContext,
      endpoint: EndpointOf<Request, Response>,
      request: Request,
    ) {
      const read = context.responses?.get(keyOf(endpoint, request)) as Promise<WireResponse> | undefined;
      // The key names the endpoint, so the value has the type of its responses.
      return read === undefined
        ? upstream.call(context, endpoint, request)
        : read.then((response) => readValue(response, context.turn) as Response);
    },
  };
}

const ambiguous: ReadonlySet<ErrorName> = new Set(['invalid_credentials', 'expired_credentials']);

/** A missing scope says that the key is accepted. */
export const refusesKey = ({ errorName, family }: ServiceError): boolean =>
  family === 'key' && (errorName === 'missing_credentials' || ambiguous.has(errorName));

/** Makes failures of the family `account` concern the account: a service may say the same of a refused key. */
function disambiguateCredentials(upstream: Upstream, askWithKey: AskWithKey): Upstream {
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
