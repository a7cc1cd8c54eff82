/** A command that a service carried out, in a response with one field missing or of another type: what is known is told. */
import { type GraphQLObjectType, getNamedType, isLeafType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jobEndpoints } from '../../src/capabilities/jobs/endpoints.ts';
import { webhookEndpoints } from '../../src/capabilities/webhooks/endpoints.ts';
import type { ContractEndpoint, EndpointName } from '../../src/kernel/endpoint.ts';
import { schemas } from '../support/served-part.ts';
import { shareProxy } from '../support/stub.ts';

const input = { accountId: 'a1', jobId: '7' };
/** The mutation of each endpoint that changes something. */
const mutations: Readonly<Partial<Record<EndpointName, { readonly name: string; readonly input: object }>>> = {
  EDIT: { name: 'editJob', input: { ...input, posting: {} } },
  PUB: { name: 'publishJob', input: { ...input, mode: 'FREE' } },
  CHK: { name: 'solveJobCheckpoint', input: { ...input, solution: '123456' } },
  WHCREATE: {
    name: 'createWebhook',
    input: { requestUrl: 'https://hooks.example/in', source: 'ACCOUNT_STATUS' },
  },
  WHDEL: { name: 'deleteWebhook', input: { webhookId: 'w1' } },
};
const commands = [...Object.values(jobEndpoints), ...Object.values(webhookEndpoints)].filter(
  ({ method }) => (method as string) !== 'GET',
);

test('every endpoint that changes something has a mutation here', () => {
  expect(Object.keys(mutations).sort()).toEqual(commands.map(({ name }) => name).sort());
});

/** A response of each kind that a shape has. */
function responsesOf(shape: unknown): Record<string, unknown>[] {
  if (shape instanceof z.ZodDiscriminatedUnion) return shape.options.flatMap(responsesOf);
  if (!(shape instanceof z.ZodObject)) throw new Error('A command responds with an object');
  return [Object.fromEntries(Object.entries(shape.shape).map(([key, field]) => [key, sampleOf(field)]))];
}
function sampleOf(field: unknown): unknown {
  if (field instanceof z.ZodLiteral) return [...field.values][0];
  if (field instanceof z.ZodEnum) return field.options[0];
  if (field instanceof z.ZodString) return 'told-1';
  throw new Error('The test has no sample of this type');
}

/** What stands in a field instead, and whether it can be read as text. */
const instead: Readonly<Record<string, { readonly json: string | undefined; readonly text?: string }>> = {
  'is missing': { json: undefined },
  'is null': { json: 'null' },
  'is a number': { json: '12', text: '12' },
  'is a number with more digits than a double has': { json: '7615917337495251231', text: '7615917337495251231' },
  'is an object': { json: '{"id":"x"}' },
  'is a list': { json: '["x"]' },
  'is true': { json: 'true' },
  'is an unknown word': { json: '"novel"', text: 'novel' },
};

const cases = commands.flatMap((endpoint: ContractEndpoint) =>
  responsesOf(endpoint.response).flatMap((response) =>
    Object.keys(response).flatMap((field) =>
      Object.keys(instead).map((how) => ({ endpoint, kind: String(response.object), response, field, how })),
    ),
  ),
);

describe('of a response to a command', () => {
  const begin = shareProxy();

  test.each(cases)('$endpoint.name, $kind: $field $how', async ({ endpoint, kind, response, field, how }) => {
    const { name, input } = mutations[endpoint.name] ?? { name: '', input: {} };
    const { json, text } = instead[how] ?? { json: undefined };
    const members = Object.entries({ ...response, [field]: undefined }).flatMap(([key, value]) =>
      value === undefined ? [] : [`${JSON.stringify(key)}:${JSON.stringify(value)}`],
    );
    const body = `{${[...members, ...(json === undefined ? [] : [`"${field}":${json}`])].join()}}`;
    const { stub, ask } = begin((_request, answer) =>
      answer.writeHead(endpoint.status, { 'content-type': 'application/json' }).end(body),
    );
    const type = schemas['forwarded-keys'].getType(kind) as GraphQLObjectType;
    const leaves = Object.values(type.getFields()).filter((each) => isLeafType(getNamedType(each.type)));
    const own = leaves.map((each) => each.name);
    const inputType = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
    const { data, errors } = await ask(
      `mutation ($input: ${inputType}!) { ${name}(input: $input) { __typename ... on ${kind} { ${own.join(' ')} } } }`,
      { input },
    );
    expect(stub.received).toHaveLength(1);

    if (field === 'object') {
      // Nobody knows what it stands for: what it says is told all the same.
      expect(errors).toHaveLength(1);
      const { message = '', extensions } = errors[0] ?? {};
      expect(extensions).toMatchObject({ code: 'PROVIDER_ERROR', status: 500 });
      expect(message).toContain(`status ${endpoint.status}`);
      expect(message).toContain('The outcome is unknown');
      for (const [key, value] of Object.entries(response))
        if (/id$/.test(key)) expect(message).toContain(String(value));
      for (const each of Object.values(input)) if (/^(?:7|w1)$/.test(each)) expect(message).toContain(each);
      return;
    }
    const result = data[name];
    expect(result).toMatchObject({ __typename: kind });
    for (const leaf of own) {
      const at = wireNames[leaf];
      if (at === undefined) continue;
      const known = at !== field ? response[at] : text;
      const asked = at === 'job_id' ? '7' : null;
      const failed = errors.some(({ path }) => path?.join('.') === `${name}.${leaf}`);
      if (at === 'job_state' || at === 'type') {
        const shown =
          at === field ? (json === undefined || json === 'null' ? null : 'UNRECOGNIZED') : String(known).toUpperCase();
        expect([leaf, result[leaf], failed]).toEqual([leaf, shown, shown === null]);
      } else expect([leaf, result[leaf], failed]).toEqual([leaf, known ?? asked, (known ?? asked) === null]);
    }
  });
});

/** Where the value of a field stands in the response; what is not here, the gateway knows by itself. */
const wireNames: Readonly<Record<string, string>> = {
  jobId: 'job_id',
  state: 'job_state',
  checkpointType: 'type',
  webhookId: 'webhook_id',
};
