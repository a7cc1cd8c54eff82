/** An endpoint's response, from its operation or from the first request with the same `Idempotency-Key`. */

import { z } from 'zod';
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { Parameters } from '../http/router.ts';
import type { ContractEndpoint } from '../kernel/endpoint.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Idempotency, replayedHeader } from '../kernel/idempotency.ts';
import { printJson, stringify } from '../kernel/lib/json-text.ts';
import { isObject } from '../kernel/lib/objects.ts';
import { performOnceForKey } from '../kernel/operation.ts';
import type { LeavePlace } from '../kernel/places.ts';
import type { Ports } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';
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

/** Copies without fields that the shape lacks: the value may be shared. */
type ContractFields = (value: unknown) => unknown;

const unchanged: ContractFields = (value) => value;

/** Leaves only the contract's fields of objects, lists, and unions of objects with a discriminator. Values of other types leave as they came: half a response beats none. */
function contractFields(shape: z.core.$ZodType): ContractFields {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return contractFields(shape.unwrap());
  if (shape instanceof z.ZodArray) return ofList(contractFields(shape.element));
  if (shape instanceof z.ZodObject) return ofObject(shape);
  if (shape instanceof z.ZodDiscriminatedUnion) return ofUnion(shape);
  return unchanged;
}

function ofList(ofItem: ContractFields): ContractFields {
  return ofItem === unchanged ? unchanged : (value) => (Array.isArray(value) ? value.map(ofItem) : value);
}

function ofObject({ shape }: z.ZodObject): ContractFields {
  const fields = new Map(Object.entries(shape).map(([name, field]) => [name, contractFields(field)]));
  return (value) => {
    if (!isObject(value)) return value;
    const kept: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      if (field !== undefined) kept[name] = field(value[name]);
    }
    return kept;
  };
}

function ofUnion({ options, def: { discriminator } }: z.ZodDiscriminatedUnion): ContractFields {
  const variants = new Map<unknown, ContractFields>();
  for (const option of options) {
    const compiled = contractFields(option);
    for (const tag of tagsOf(option, discriminator)) variants.set(tag, compiled);
  }
  return (value) => (isObject(value) ? (variants.get(value[discriminator]) ?? unchanged)(value) : value);
}

function tagsOf(option: z.core.$ZodType, discriminator: string): readonly unknown[] {
  if (option instanceof z.ZodDiscriminatedUnion) return option.options.flatMap((each) => tagsOf(each, discriminator));
  const tag = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
  return tag instanceof z.ZodLiteral ? [...tag.values] : [];
}

const responseFields = new Map(endpoints.map(({ name, response }) => [name, contractFields(response)]));

const shown = ({ name }: ContractEndpoint, result: object) => responseFields.get(name)?.(result);

/** @throws ServiceError `invalid_parameters` for a key that is empty or too long */
function idempotencyKeyOf({ headers }: Pick<IncomingRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || (key.length >= 1 && key.length <= 255)) return key;
  throw new ServiceError('invalid_parameters', { detail: 'Idempotency-Key must have 1 to 255 characters.' });
}
