/** The OpenAPI 3.1 document, derived from the tables and shapes that serve REST. */
import { z } from 'zod';
import { type ContractEndpoint, pathParameters } from '../kernel/endpoint.ts';
import { type ErrorName, errorTable } from '../kernel/errors.ts';
import { replayedHeader } from '../kernel/idempotency.ts';
import { http } from '../kernel/lib/node-http.ts';
import { allowedErrors } from './allowed-errors.ts';
import { endpoints, prefixes } from './endpoints.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

export function openApiDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Jobs, posts and webhooks',
      version: '1',
      description:
        'Edits and publishes job postings, lists posts and manages webhooks on behalf of connected accounts.',
    },
    // Paths start with the first prefix; the others are servers, by what precedes `/v1`.
    servers: prefixes.map((prefix) => ({ url: prefix.slice(0, -prefixes[0].length) || '/' })),
    security: [{ ApiKey: [] }],
    paths: pathsOf(endpoints),
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' } },
      headers: headerParameters,
    },
  };
}

const headerParameters = {
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

const headerParameter = (name: keyof typeof headerParameters) => ({ $ref: `#/components/headers/${name}` });

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
      ...(body ? [idempotencyHeader] : []),
    ],
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: withoutFields(request, ids) } } } }
      : {}),
    responses: responsesOf(endpoint),
  };
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'For 24 hours, a request with the same key and the same content, made with the same API key, acts once and gets the same response.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function responsesOf({ name, status, response, body }: ContractEndpoint) {
  const common = {
    'x-request-id': headerParameter('RequestId'),
    ratelimit: headerParameter('RateLimit'),
    'ratelimit-policy': headerParameter('RateLimitPolicy'),
    ...(body ? { [replayedHeader]: headerParameter('Replayed') } : {}),
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
        const headers = each >= 500 ? { ...common, 'retry-after': headerParameter('RetryAfter') } : common;
        return [
          each,
          { description: http.STATUS_CODES[each] ?? 'Failure', headers, content: { 'application/json': { schema } } },
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

/** Leaves out rules beyond JSON Schema: an error states a broken one. */
const schemaOf = (shape: z.ZodType): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  return schema;
};

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
