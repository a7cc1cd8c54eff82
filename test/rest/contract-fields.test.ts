/**
 * The REST face returns the fields of the contract and no others, whatever the service adds; what is
 * odd in another way leaves as it came. The responses are derived from the shapes of all endpoints.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pathParameters } from '../../src/kernel/endpoint.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { rest } from '../support/rest.ts';
import { json, pnetPost, postList, proxyTo, startStub, webhook } from '../support/stub.ts';

/** A complete value of each variant of a shape; a list holds one of each. */
function samplesOf(shape: z.core.$ZodType): unknown[] {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return samplesOf(shape.unwrap());
  if (shape instanceof z.ZodDiscriminatedUnion) return shape.options.flatMap(samplesOf);
  if (shape instanceof z.ZodArray) return [samplesOf(shape.element)];
  if (shape instanceof z.ZodObject) {
    return [Object.fromEntries(Object.entries(shape.shape).map(([name, field]) => [name, samplesOf(field)[0]]))];
  }
  if (shape instanceof z.ZodLiteral) return [...shape.values];
  if (shape instanceof z.ZodEnum) return [shape.options[0]];
  if (shape instanceof z.ZodString) return ['text'];
  if (shape instanceof z.ZodNumber) return [1.5];
  if (shape instanceof z.ZodBoolean) return [true];
  throw new Error('Write a sample for this kind of shape');
}

/** The value with fields that the contract does not have, in every object. */
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMore);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([name, field]) => [name, withMore(field)]);
  return { x_first: { deep: 1 }, ...Object.fromEntries(known), constructor: 'added', x_last: [value], toString: null };
}

const bodies: Readonly<Record<string, object>> = {
  EDIT: { account_id: 'a' },
  PUB: { account_id: 'a', mode: 'FREE' },
  CHK: { account_id: 'a', input: '1' },
  WHCREATE: { source: 'users', request_url: 'https://hooks.example/in' },
};

const cases = endpoints.flatMap((endpoint) =>
  samplesOf(endpoint.response).map((response, variant) => {
    // The gateway counts the items itself.
    const counted = endpoint.name === 'POSTS' ? postList((response as { items: unknown[] }).items, 'text') : response;
    return { endpoint, name: endpoint.name, variant, response: counted };
  }),
);

describe.each([
  ["a gateway that forwards its callers' keys", {}],
  ['a gateway with a key of its own', { UPSTREAM_API_KEY: 'own' }],
])('%s', (_name, environment) => {
  test.each(cases)('$name, variant $variant', async ({ endpoint, name, response }) => {
    const stub = await startStub((_request, reply) => json(reply, endpoint.status, withMore(response) as object));
    const gateway = await proxyTo(stub, { environment });
    const key = 'UPSTREAM_API_KEY' in environment ? (await gateway.workspace()).key : 'their-key';
    const path = pathParameters(endpoint).reduce((all, each) => all.replace(`{${each}}`, '1'), endpoint.path);
    const repeated: Record<string, string> = { 'idempotency-key': 'a' };
    for (const headers of [{}, repeated, repeated]) {
      const { status, body } = await rest(gateway.address, key, endpoint.method, `/v1${path}?account_id=a`, {
        body: endpoint.body ? bodies[name] : undefined,
        headers,
      });
      expect({ status, body }).toEqual({ status: endpoint.status, body: response });
    }
  });
});

test('deviations from the contract are passed on', async () => {
  const attachments = [{ type: 'hologram', depth: 3, more: { x: 1 } }, null, 'text', [], {}];
  const posts = [
    pnetPost('1', { text: null, author: 'Ada', reaction_counter: '5', mentions: { x: 1 }, attachments }),
    { object: 'Post', provider: 'NEWNET', clip: { length: 3 } },
    null,
    'text',
    7,
    [],
    {},
  ];
  const hooks = [
    webhook('1', { events: null, headers: 'none', data: [null, { key: 'x' }] }),
    webhook('2', { type: 'NEW', x: 1 }),
  ];
  const stub = await startStub((request, reply) =>
    json(
      reply,
      200,
      request.path.includes('posts') ? postList(posts) : { object: 'WebhookList', items: hooks, cursor: null },
    ),
  );
  const gateway = await proxyTo(stub);
  const read = async (path: string) => (await (await gateway.rest('GET', path)).json()).items;
  expect(await read('/v1/users/ada/posts?account_id=a')).toEqual(posts);
  expect(await read('/v1/webhooks')).toEqual(hooks);
});
