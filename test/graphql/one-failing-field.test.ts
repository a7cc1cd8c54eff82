/** A page of several lists, of which one fails: the others are there, whether the operation is compiled or not. */
import { toe } from 'graphql-toe';
import { expect, test } from 'vitest';
import { pages, seen, startBothWays } from '../compiled/both-ways.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { envelope, json, type Respond } from '../support/stub.ts';

/** A service of which one list is down. */
const oneDown: Respond = (request, response) =>
  request.path.includes('ACoDown')
    ? json(response, 422, envelope('provider_unreachable', 422))
    : pages(request, response);

const list = (identifier: string) =>
  `posts(accountId: "a", identifier: "${identifier}", first: 2) { nodes { ... on PnetPost { text } } }`;

test.each([
  ['of lists only, which is tried compiled', '', {}],
  ['with a field beside the lists', '__typename', { __typename: 'Query' }],
])('a list that fails does not affect the others: an operation %s', async (_what, more, alsoThere) => {
  const { ask } = await startBothWays(oneDown);
  const query = `{ ${more} good: ${list('ACoAda')} down: ${list('ACoDown')} other: ${list('ACoEve')} }`;
  const { on, off } = await ask({ body: { query } });
  const two = { nodes: [{ text: 'Text p0' }, { text: 'Text p1' }] };
  expect(JSON.parse(on.body)).toEqual({
    data: { ...alsoThere, good: two, down: null, other: two },
    errors: [
      {
        message: 'A detail.',
        path: ['down'],
        locations: [expect.any(Object)],
        extensions: expect.objectContaining({ code: 'PROVIDER_UNREACHABLE' }),
      },
    ],
  });
  expect(seen(on)).toEqual(seen(off));
  expect(on.status).toBe(200);
  expect(on.calls).toHaveLength(3);
});

test('graphql-toe throws where the failing list is read, and nowhere else', async () => {
  const { ask } = await startBothWays(oneDown);
  const { on } = await ask({ body: { query: `{ good: ${list('ACoAda')} down: ${list('ACoDown')} }` } });
  const data = toe<{ good: { nodes: unknown[] }; down: object }>(JSON.parse(on.body));
  expect(data.good.nodes).toHaveLength(2);
  expect(() => data.down).toThrow('A detail.');
});

test('a list that the key has no scope for does not affect the others, nor the HTTP status', async () => {
  const gateway = await startGateway({ environment: { LOG_LEVEL: 'silent' } });
  const workspace = await gateway.workspace();
  const narrow = await workspace.newKey({ scopes: ['webhooks:read'] });
  const ask = (query: string) => graphql(gateway.address, narrow, query);
  expect(await ask('{ viewer { name } webhooks { nodes { id } } accounts { nodes { id } } }')).toMatchObject({
    status: 200,
    data: { viewer: { name: 'test' }, webhooks: { nodes: [] }, accounts: null },
    errors: [{ path: ['accounts'], extensions: { code: 'INSUFFICIENT_PRIVILEGES', status: 401 } }],
  });
  // Nothing is hidden where there is nothing.
  expect(await ask('{ accounts { nodes { id } } }')).toMatchObject({ status: 401, data: { accounts: null } });
  await gateway.close();
});
