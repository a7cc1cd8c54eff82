import { type ContractEndpoint, pathParameters } from '../kernel/endpoint.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { readValue, type WireResponse } from '../kernel/wire-response.ts';
import type { EndpointOf, Upstream } from './client.ts';

/** Reads the same once for {@link RequestContext.responses}, which also releases it: executors take over from others. */
export function rememberReads(upstream: Upstream): Upstream {
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
