/** An endpoint's response, from its operation or from the first request with the same `Idempotency-Key`. */

import type { IncomingRequest } from '../http/incoming-request.ts';
import type { Parameters } from '../http/router.ts';
import type { ContractEndpoint } from '../kernel/endpoint.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Idempotency, replayedHeader } from '../kernel/idempotency.ts';
import { printJson, stringify } from '../kernel/lib/json-text.ts';
import { performOnceForKey } from '../kernel/operation.ts';
import type { LeavePlace } from '../kernel/places.ts';
import type { Ports } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { contractFields } from './contract-fields.ts';
import { endpoints } from './endpoints.ts';
import { flatRequest } from './request.ts';

interface RestRequest {
  readonly http: IncomingRequest;
  readonly parameters: Parameters;
  readonly context: RequestContext;
  readonly ports: Ports;
  readonly idempotency: Idempotency | undefined;
  /** Takes the place of the operation. */
  readonly enter: () => LeavePlace | Promise<LeavePlace>;
}

/** @returns the JSON body. @throws ServiceError for failures without an idempotency key that the gateway keeps */
export async function respond(endpoint: ContractEndpoint, asked: RestRequest): Promise<Uint8Array | string> {
  // A slow upload takes no place from others of its key.
  const request = await flatRequest(endpoint, asked.http, asked.parameters);
  const leave = await asked.enter();
  try {
    return await performed(endpoint, asked, request);
  } finally {
    leave();
  }
}

async function performed(
  endpoint: ContractEndpoint,
  { http, context, ports, idempotency }: RestRequest,
  request: Readonly<Record<string, unknown>>,
): Promise<Uint8Array | string> {
  const key = endpoint.body ? idempotencyKeyOf(http) : undefined;
  if (key === undefined || idempotency === undefined) {
    const onReplayed = () => http.addHeaders({ [replayedHeader]: 'true' });
    const forwarded = key === undefined ? context : { ...context, idempotency: { key, onReplayed } };
    return printJson(shown(endpoint, await endpoint.operation.perform(ports, forwarded, request)), context.turn);
  }
  const { name, operation } = endpoint;
  const print = (result: object) => stringify(shown(endpoint, result));
  const command = { operation, endpoint: name, key, request, print };
  const { body, replayed } = await performOnceForKey(idempotency, command, ports, context);
  if (replayed) http.addHeaders({ [replayedHeader]: 'true' });
  return body;
}

const responseFields = new Map(endpoints.map(({ name, response }) => [name, contractFields(response)]));

const shown = ({ name }: ContractEndpoint, result: object) => responseFields.get(name)?.(result);

/** @throws ServiceError `invalid_parameters` for a key that is empty or too long */
function idempotencyKeyOf({ headers }: Pick<IncomingRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || (key.length >= 1 && key.length <= 255)) return key;
  throw new ServiceError('invalid_parameters', { detail: 'Idempotency-Key must have 1 to 255 characters.' });
}
