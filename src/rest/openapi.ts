/** The OpenAPI 3.1 document of the REST face, derived from the tables and shapes that serve it. */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { type ContractEndpoint, pathParameters } from '../kernel/endpoint.ts';
import { type ErrorName, errorTable } from '../kernel/errors.ts';
import { replayedHeader } from '../kernel/idempotency.ts';
import { allowedErrors } from './allowed-errors.ts';
import { endpoints, prefixes } from './endpoints.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The document as an object to be sent as JSON. */
export function openApiDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Jobs, posts and webhooks',
      version: '1',
      description:
        'Edits and publishes job postings, lists posts and manages webhooks on behalf of connected accounts.',
    },
    // The paths below start with the first prefix. The other prefixes are servers: what precedes `/v1` in them.
    servers: prefixes.map((prefix) => ({ url: prefix.slice(0, -prefixes[0].length) || '/' })),
    security: [{ ApiKey: [] }],
    paths: pathsOf(endpoints),
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' } },
      headers,
    },
  };
}

/** Headers of responses, by the names of their components. */
const headers = {
  RequestId: { description: 'The id of the request. Give it to support.', schema: { type: 'string' } },
  Replayed: {
    description: 'Present if the response repeats an earlier one with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
  RateLimit: {
    description:
      'How the limit on requests stands (draft-ietf-httpapi-ratelimit-headers-10): `"requests";r=59999;t=1` has 59,999 requests left, and all again in 1 second. In a refusal, the limit that refused.',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The limit that RateLimit tells of: `"requests";q=60000;w=60` is 60,000 requests in 60 seconds.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 0 } },
} as const;

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

function pathsOf(all: readonly ContractEndpoint[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of all) {
    const path = `${prefixes[0]}${endpoint.path}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  return paths;
}

function operationOf(endpoint: ContractEndpoint) {
  const { operationId, summary, operation, query = {}, body } = endpoint;
  const request = schemaOf(operation.shape);
  const ids = pathParameters(endpoint);
  const parameter = (at: 'path' | 'query') => (field: string) => ({
    name: field,
    in: at,
    required: at === 'path' || request.required?.includes(field) === true,
    schema: propertyOf(request, field),
  });
  return {
    operationId,
    summary,
    description: `The API key needs the scope \`${operation.scope}\`.`,
    parameters: [
      ...ids.map(parameter('path')),
      ...Object.keys(query).map(parameter('query')),
      ...(body ? [idempotencyKey] : []),
    ],
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: withoutFields(request, ids) } } } }
      : {}),
    responses: responsesOf(endpoint),
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'For 24 hours, a request with the same key and the same content, made with the same API key, acts once and gets the same response.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function responsesOf({ name, status, response, body }: ContractEndpoint) {
  const common = {
    'x-request-id': header('RequestId'),
    ratelimit: header('RateLimit'),
    'ratelimit-policy': header('RateLimitPolicy'),
    ...(body ? { [replayedHeader]: header('Replayed') } : {}),
  };
  const types = allowedErrors(name);
  const statuses = [...new Set(types.map((each) => errorTable[each].status))];
  return {
    [status]: {
      description: 'Success',
      headers: common,
      content: { 'application/json': { schema: schemaOf(response) } },
    },
    ...Object.fromEntries(
      statuses.map((each) => {
        const schema = envelopeOf(
          each,
          types.filter((type) => errorTable[type].status === each),
        );
        const headers = each >= 500 ? { ...common, 'retry-after': header('RetryAfter') } : common;
        return [
          each,
          { description: STATUS_CODES[each] ?? 'Failure', headers, content: { 'application/json': { schema } } },
        ];
      }),
    ),
  };
}

const envelopeOf = (status: number, types: readonly ErrorName[]) => ({
  type: 'object',
  properties: {
    title: { type: 'string' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    type: { type: 'string', enum: types.map((type) => `errors/${type}`) },
    status: { const: status },
  },
  required: ['title', 'type', 'status'],
  additionalProperties: false,
});

/** Rules that JSON Schema cannot express are left out: a request that breaks one gets an error that states it. */
const schemaOf = (shape: z.ZodType): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  return schema;
};

/** The schema of a field of an object, or of the first variant that has the field. */
function propertyOf({ properties, oneOf }: JsonSchema, name: string): object | undefined {
  const property = properties?.[name];
  if (typeof property === 'object') return property;
  return oneOf?.map((variant) => propertyOf(variant, name)).find((found) => found !== undefined);
}

function withoutFields(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties = {}, required = [], oneOf } = schema;
  if (oneOf !== undefined) return { ...schema, oneOf: oneOf.map((variant) => withoutFields(variant, names)) };
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    required: required.filter((name) => !names.includes(name)),
  };
}
