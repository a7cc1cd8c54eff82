/** `examples/bff-yoga`: a BFF with an API of its own, between a visitor and a gateway that are both elsewhere. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { again, runExample, type Server, serveExample } from './example.ts';
import { type Postern, startPostern } from './postern.ts';
import { type Visitor, visitorAt } from './visitor.ts';

const pnet = 'pnet-----------------A';
const feed = `query ($of: String!, $after: String) {
  feed(accountId: "${pnet}", of: $of, after: $after) { items { author text } next }
}`;

let postern: Postern;
let server: Server;
let grace: Visitor;
beforeAll(async () => {
  postern = await startPostern();
  const environment = { POSTERN_URL: postern.address, POSTERN_KEY: postern.key, VISITOR_TOKEN: 'of-grace' };
  await runExample('bff-yoga', 'typecheck', environment);
  server = await serveExample('bff-yoga', 'start', { ...environment, ...again });
  grace = visitorAt(`${server.address}/graphql`, 'of-grace');
});
afterAll(async () => {
  await server?.stop();
  await postern?.close();
});

test('serves the pages of a list', async () => {
  const sizes: number[] = [];
  let after: string | null = null;
  do {
    const { data, errors } = await grace.ask(feed, { of: 'ADoSandbox25', after });
    expect(errors).toEqual([]);
    expect(data.feed.items[0]).toEqual({ author: expect.any(String), text: expect.any(String) });
    sizes.push(data.feed.items.length);
    after = data.feed.next;
  } while (after !== null);
  expect(sizes).toEqual([20, 5]);
});

test.each([
  ['1001', { __typename: 'Posting', state: 'ACTIVE' }],
  ['1007', { __typename: 'Question', about: 'OTP' }],
  ['1017', { __typename: 'Refusal', code: 'INSUFFICIENT_JOB_SLOT', message: expect.any(String) }],
  ['404404', { __typename: 'Refusal', code: 'RESOURCE_NOT_FOUND', message: expect.any(String) }],
])('publishing draft %s is one of its results', async (draftId, result) => {
  const { data, errors } = await grace.ask(
    `mutation ($draftId: ID!) { publish(accountId: "${pnet}", draftId: $draftId) {
      __typename ... on Posting { state } ... on Question { about } ... on Refusal { code message }
    } }`,
    { draftId },
  );
  expect(errors).toEqual([]);
  expect(data.publish).toEqual(result);
});

test('an error of the gateway arrives with its code, at the path of the field here', async () => {
  const { data, errors } = await grace.ask(feed, { of: 'ACoSandboxNetworkDown' });
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ path: ['feed'], extensions: { code: 'NETWORK_DOWN' } }]);
});

test.each([null, 'of-nobody', ''])('a visitor with the token %j gets nothing', async (token) => {
  const stranger = visitorAt(`${server.address}/graphql`, token);
  for (const query of ['{ __schema { types { name } } }', `{ feed(accountId: "${pnet}", of: "x") { next } }`])
    expect(await stranger.ask(query)).toEqual({
      status: 401,
      data: null,
      errors: [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }],
    });
});

test('a visitor sees nothing of the accounts of others', async () => {
  const none = { data: null, errors: [{ extensions: { code: 'NOT_FOUND' } }] };
  expect(await grace.ask(feed.replace(pnet, 'photonet-------------A'), { of: 'x' })).toMatchObject(none);
  const others = grace.watch('subscription { posting(jobId: "404404") { state } }');
  expect((await others.next()).value).toMatchObject(none);
});

test('it listens on the loopback interface only', async () => {
  const elsewhere = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);
  if (elsewhere) await expect(fetch(`http://${elsewhere.address}:${server.port}`)).rejects.toThrow();
});

const posting = (jobId: string, name: string) => `subscription ${name} { posting(jobId: "${jobId}") { state } }`;

test('a stream goes on through a restart of the gateway', async () => {
  const states = grace.watch(posting('1002', 'Restarted'));
  expect((await states.next()).value).toMatchObject({ data: { posting: { state: 'DRAFT' } } });
  await postern.restart();
  // As it is after the restart.
  expect((await states.next()).value).toMatchObject({ data: { posting: { state: 'DRAFT' } } });
  await states.return();
});

test('the stream of the gateway ends when the visitor goes away', async () => {
  const states = grace.watch(posting('1003', 'Gone'));
  await states.next();
  await states.return();
  await postern.logged(/"operation":"JobChanges"/);
});
