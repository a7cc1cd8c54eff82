/**
 * Whatever a client sends, the compiled way changes nothing: the response has the same status, headers and bytes, and the
 * service gets the same requests. How a request is read comes before, and is the same for all executors.
 */
import { expect, test } from 'vitest';
import { type GraphQLRequest, seen, startBothWays } from './both-ways.ts';

const posts = (args = '', selection = 'nodes { __typename ... on PnetPost { id text } }') =>
  `posts(accountId: "a1", identifier: "ACo1"${args}) { ${selection} }`;
const query = `{ ${posts()} }`;

const webhooks = (args = '') =>
  `webhooks${args} {
    edges {
      cursor
      node {
        id webhookId name isEnabled requestUrl format events
        accounts { accountId name type } headers { key value } data { name key }
        type source trigger { icon name context }
      }
    }
    nodes { __typename }
    pageInfo { hasNextPage endCursor }
  }`;

/** What the log line says of a request that is executed: `yes`, or why it was not compiled. */
type Requests = Readonly<Record<string, readonly [compiled: string | undefined, request: GraphQLRequest]>>;

const bodies = (table: Readonly<Record<string, readonly [compiled: string | undefined, body: unknown]>>): Requests =>
  Object.fromEntries(Object.entries(table).map(([what, [compiled, body]]) => [what, [compiled, { body }]]));

const withHeaders = (compiled: string | undefined, headers: Readonly<Record<string, string>>) =>
  [compiled, { headers, body: { query } }] as const;

const accepting = (compiled: string | undefined, ranges: readonly string[]): Requests =>
  Object.fromEntries(ranges.map((accept) => [`accept: ${accept}`, withHeaders(compiled, { accept })]));

const flagged = `query ($on: Boolean = true) { ${posts('', 'nodes { ... on PnetPost { id @include(if: $on) text } }')} }`;

const requests: Requests = {
  ...bodies({
    'a query': ['yes', { query }],
    'one of several operations': [
      'yes',
      { query: `query Posts ${query} query Other { viewer { keyId } }`, operationName: 'Posts' },
    ],
    'the other of several operations': [
      'more than can be read as JSON',
      { query: `query Posts ${query} query Other { viewer { keyId } }`, operationName: 'Other' },
    ],
    'a variable that the operation does not have': ['yes', { query, variables: { more: { a: [1] } } }],
    'an id that is a number': [
      'yes',
      {
        query: `query ($a: ID!) { posts(accountId: $a, identifier: "ACo1") { nodes { ... on PnetPost { id } } } }`,
        variables: { a: 7 },
      },
    ],
    'a window that goes on in another page': [
      'the window needs another page',
      { query: `{ ${posts(', first: 13').replace('ACo1', 'ACoLong')} }` },
    ],
    'first: 101': ['errors/unprocessable_entity', { query: `{ ${posts(', first: 101')} }` }],
    'first: -1': ['errors/unprocessable_entity', { query: `{ ${posts(', first: -1')} }` }],
    'a cursor that is none': ['errors/unprocessable_entity', { query: `{ ${posts(', after: "x"')} }` }],
    'an empty identifier': [
      'errors/invalid_recipient',
      { query: '{ posts(accountId: "a1", identifier: "") { nodes { __typename } } }' },
    ],
    'a directive without a value': ['variables', { query: flagged, variables: { on: null } }],
    'a directive with a variable out of the prototype': [
      'variables',
      `{"query":${JSON.stringify(`query ($__proto__: Boolean!) { ${posts('', 'nodes { __typename } totals: __typename @include(if: $__proto__)')} }`)},"variables":{"__proto__":true}}`,
    ],
    'an argument with a variable out of the prototype': [
      'variables',
      `{"query":${JSON.stringify(`query ($__proto__: Int!) { ${posts(', first: $__proto__')} }`)},"variables":{"__proto__":3}}`,
    ],
    'aliases out of the prototype': [
      'yes',
      {
        query: `{ __proto__: ${posts('', 'nodes { constructor: __typename ... on PnetPost { __proto__: text toString: id } }')} }`,
      },
    ],
    'everything is skipped': [
      'nothing is read',
      { query: '{ posts(accountId: "a1", identifier: "ACo1") @skip(if: true) { nodes { __typename } } }' },
    ],
    'a fragment on the query that hides more': [
      'Query.viewer is known to its resolver only',
      { query: `{ ...A } fragment A on Query { ${posts()} viewer { keyId } }` },
    ],
    webhooks: ['yes', { query: `{ ${webhooks()} }` }],
    'webhooks without a filter': [
      'yes',
      {
        query: `query ($account: ID, $on: Boolean) { ${webhooks('(accountId: $account, isEnabled: $on, sources: null, query: null)')} }`,
      },
    ],
    'webhooks with a filter': ['a filter', { query: `{ ${webhooks('(isEnabled: true)')} }` }],
    'webhooks of an account': ['a filter', { query: `{ ${webhooks('(accountId: "a1")')} }` }],
    'webhooks with a cursor that is none': ['errors/invalid_parameters', { query: `{ ${webhooks('(after: "x")')} }` }],
    'too many webhooks': ['errors/limit_too_high', { query: `{ ${webhooks('(first: 251)')} }` }],
    'a fragment on the query that hides the schema': [
      'Query.__schema is known to its resolver only',
      { query: '{ ...A } fragment A on Query { __schema { queryType { name } } }' },
    ],
    'only a type name': ['introspection', { query: '{ __typename }' }],
    'the schema': ['introspection', { query: '{ __schema { queryType { name } } }' }],
    'the schema beside a list': [
      'more than can be read as JSON',
      { query: `{ __schema { queryType { name } } ${posts()} }` },
    ],
    'a mutation': [
      'more than can be read as JSON',
      { query: 'mutation { deleteWebhook(input: { webhookId: "w" }) { __typename } }' },
    ],
  }),
  'a request for the cost': withHeaders('yes', { 'graphql-cost': 'report' }),
  'another word than report': withHeaders('yes', { 'graphql-cost': 'no' }),
  'no x-request-id that we accept': withHeaders('yes', { 'x-request-id': 'own-id-of-client' }),
  ...accepting('yes', [
    'application/json',
    'application/graphql-response+json, application/json;q=0.9',
    'text/event-stream, application/json',
    'text/html, */*;q=0.8',
  ]),
};

test('requests are served alike', { timeout: 120_000 }, async () => {
  const both = await startBothWays();
  let keys = 0;
  for (const [what, [compiled, { headers, ...request }]] of Object.entries(requests)) {
    // Each has a rate limit of its own, so that one difference is one difference.
    keys += 1;
    const { on, off } = await both.ask({ ...request, headers: { 'x-api-key': `key-${keys}`, ...headers } });
    expect.soft(seen(on), what).toEqual(seen(off));
    expect.soft(on.compiled, what).toBe(compiled);
    expect.soft(off.compiled, what).toBeUndefined();
  }
});
