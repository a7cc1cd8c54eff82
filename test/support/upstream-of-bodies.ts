/** An upstream client over bodies in memory: what a service would send, without a socket. */

import type { ContractEndpoint } from '../../src/kernel/endpoint.ts';
import type { WireResponse } from '../../src/kernel/request-context.ts';
import { Body } from '../../src/net/body-memory.ts';
import type { EndpointOf, Upstream } from '../../src/upstream/client.ts';
import { ParsedOnDemand, readResponse } from '../../src/upstream/response.ts';
import { createTranslator } from '../../src/upstream/translation.ts';

/** @param bodyOf the body of the response to a read of an endpoint */
export function upstreamOfBodies(bodyOf: (request: object, endpoint: ContractEndpoint) => Buffer): Upstream {
  const translationOf = createTranslator({}, {});
  const read: Upstream['read'] = async (_context, endpoint, request): Promise<WireResponse> => {
    const raw = { kind: 'whole' as const, status: 200, headers: {}, body: new Body([bodyOf(request, endpoint)]) };
    const response = readResponse(endpoint, translationOf(endpoint), raw, 0);
    if (response.kind !== 'success') throw response.error;
    return new ParsedOnDemand(response, () => {});
  };
  return {
    read,
    async call<Request extends object, Response>(
      context: Parameters<Upstream['call']>[0],
      endpoint: EndpointOf<Request, Response>,
      request: Request,
    ) {
      const response = await read(context, { ...endpoint, method: 'GET' }, request);
      return response.value() as Response;
    },
    isTranslated: () => false,
    ready: async () => {},
    close: async () => {},
  };
}
