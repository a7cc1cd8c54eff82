/** The response of an endpoint: from its operation, or from the first request with the same `Idempotency-Key`. */

import type { IncomingRequest } from '../http/incoming-request.ts';
import type { Parameters } from '../http/router.ts';
import type { ContractEndpoint } from '../kernel/endpoint.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Idempotency, replayedHeader } from '../kernel/idempotency.ts';
import type { Ports } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { contractFields } from './contract-fields.ts';
import { endpoints } from './endpoints.ts';
import { flatRequest } from './request.ts';

interface RestRequest {
  readonly http: IncomingRequest;
  readonly parameters: Parameters;
  /** The caller has been authorized. */
  readonly context: RequestContext;
  readonly ports: Ports;
  readonly idempotency: Idempotency | undefined;
}

/**
 * Performs the operation of an endpoint.
 * @returns the body of the response, as JSON
 * @throws ServiceError for every failure of a request without an idempotency key that the gateway keeps
 */
export async function respond(
  endpoint: ContractEndpoint,
  { http, parameters, context, ports, idempotency }: RestRequest,
): Promise<string> {
  const request = await flatRequest(endpoint, http, parameters);
  const key = endpoint.body ? idempotencyKeyOf(http) : undefined;
  if (key === undefined || idempotency === undefined) {
    const onReplayed = () => http.addHeaders({ [replayedHeader]: 'true' });
    const forwarded = key === undefined ? context : { ...context, idempotency: { key, onReplayed } };
    return JSON.stringify(await perform(endpoint, ports, forwarded, request));
  }
  const { caller, signal } = context;
  const { body, replayed } = await idempotency.once(
    { caller, endpoint: endpoint.name, key, request, signal },
    async () => {
      // A client that disconnects comes back for the response: the work does not end with its connection.
      const uninterrupted = { ...context, signal: new AbortController().signal };
      return JSON.stringify(await perform(endpoint, ports, uninterrupted, request));
    },
  );
  if (replayed) http.addHeaders({ [replayedHeader]: 'true' });
  return body;
}

const responseFields = new Map(endpoints.map(({ name, response }) => [name, contractFields(response)]));

/** The result of the operation, with the fields of the contract. */
async function perform(endpoint: ContractEndpoint, ports: Ports, context: RequestContext, request: object) {
  const result = await endpoint.operation.perform(ports, context, request);
  return responseFields.get(endpoint.name)?.(result);
}

/** @throws ServiceError `invalid_parameters` for a key that is empty or too long */
function idempotencyKeyOf({ headers }: Pick<IncomingRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || (key.length >= 1 && key.length <= 255)) return key;
  throw new ServiceError('invalid_parameters', { detail: 'Idempotency-Key must have 1 to 255 characters.' });
}
