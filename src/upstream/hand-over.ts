/**
 * Handing over: a request may be served over the bytes of its pages, and leave a page that is not as expected to what
 * reads objects. That page is not fetched a second time, nor taken from the call budget, and a failed read fails the same.
 */
import { type ContractEndpoint, pathParameters } from '../kernel/endpoint.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { readValue } from '../kernel/wire-response.ts';
import type { EndpointOf, Upstream } from './client.ts';

/** The same client, whose calls take what was read with the same {@link RequestContext.responses}. */
export function handOverReads(upstream: Upstream): Upstream {
  const parameters = new Map<ContractEndpoint, readonly string[]>();

  /** The endpoint, and everything that goes into the path and the query of a read. */
  function keyOf(endpoint: ContractEndpoint, request: object): string {
    const names = parameters.get(endpoint) ?? [...pathParameters(endpoint), ...Object.keys(endpoint.query ?? {})];
    parameters.set(endpoint, names);
    return JSON.stringify([endpoint.name, ...names.map((name) => Reflect.get(request, name))]);
  }

  return {
    ...upstream,
    read(context, endpoint, request) {
      const { responses } = context;
      if (responses === undefined) return upstream.read(context, endpoint, request);
      const key = keyOf(endpoint, request);
      const read = responses.get(key) ?? upstream.read(context, endpoint, request);
      responses.set(key, read);
      return read;
    },
    async call<Request extends object, Response>(
      context: RequestContext,
      endpoint: EndpointOf<Request, Response>,
      request: Request,
    ) {
      const read = context.responses?.get(keyOf(endpoint, request));
      // The key names the endpoint, so the value has the type of its responses.
      return read === undefined
        ? upstream.call(context, endpoint, request)
        : ((await readValue(await read)) as Response);
    },
  };
}
