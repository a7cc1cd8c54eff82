/** `examples/federation`: the supergraph of the gateway and of a small subgraph, behind either gateway. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeBlocks, sectionOf } from '../support/docs.ts';
import { freePort } from '../support/reverse-proxy.ts';
import { curl } from '../support/servers.ts';
import { runExample, type Server, serveExample } from './example.ts';
import { type Postern, startPostern } from './postern.ts';
import { type Visitor, visitorAt } from './visitor.ts';

const pnet = 'pnet-----------------A';
const recipe = sectionOf('A field of your own on `Account`');

test('is of the types of its packages', async () => {
  expect(await runExample('federation', 'typecheck', {})).toBe('');
});

describe.each(['start', 'start:apollo'])('npm run %s', (script) => {
  let postern: Postern;
  let server: Server;
  let client: Visitor;
  beforeAll(async () => {
    postern = await startPostern({ FEDERATION: 'on' });
    const environment = { POSTERN_URL: postern.address, OWNERS_PORT: String(await freePort()) };
    server = await serveExample('federation', script, environment);
    client = visitorAt(`${server.address}/graphql`, postern.key);
  });
  afterAll(async () => {
    await server?.stop();
    await postern?.close();
  });

  test.skipIf(curl === undefined)('answers as the documentation says', async () => {
    const command = codeBlocks(recipe, 'sh').find((text) => text.startsWith('curl ')) ?? '';
    const here = command
      .replace('http://127.0.0.1:3000', server.address)
      .replace('$(cat ../../.data/demo-key)', postern.key);
    const { stdout } = await promisify(execFile)('sh', ['-c', here]);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(codeBlocks(recipe, 'json')[0] ?? ''));
  });

  test('serves the page after the first', async () => {
    const query = `query ($after: String) {
      posts(accountId: "${pnet}", identifier: "ADoSandbox25", first: 20, after: $after) { nodes { __typename } pageInfo { endCursor hasNextPage } }
    }`;
    const { posts } = (await client.ask(query)).data;
    expect(posts.nodes).toHaveLength(20);
    const { data } = await client.ask(query, { after: posts.pageInfo.endCursor });
    expect(data.posts).toMatchObject({ nodes: { length: 5 }, pageInfo: { hasNextPage: false } });
  });

  test('a wrong key is refused in the words of the gateway behind, at each field', async () => {
    const account = `account(accountId: "${pnet}") { name owner }`;
    const { data, errors } = await visitorAt(`${server.address}/graphql`, 'wrong').ask(
      `query ($yes: Boolean!) { ... @include(if: $yes) { me: ${account} } accounts { totalCount } }`,
      { yes: true },
    );
    expect(data).toEqual({ me: null, accounts: null });
    expect(errors.map(({ path }) => path).sort()).toEqual([['accounts'], ['me']]);
    for (const { extensions } of errors) expect(extensions).toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });

  test('goes on after a restart of Postern', async () => {
    await postern.restart();
    const { data } = await client.ask(`{ account(accountId: "${pnet}") { name owner } }`);
    expect(data).toEqual({ account: { name: 'Demo PNET', owner: 'Amara' } });
  });

  // Apollo Gateway has no subscriptions.
  test.runIf(script === 'start')('a stream has fields of both subgraphs, and goes on through a restart', async () => {
    const posting = (name: string) =>
      `subscription ${name} { jobPostingUpdated(jobIds: ["1002"]) { state account { owner } } }`;
    const draft = { data: { jobPostingUpdated: { state: 'DRAFT', account: { owner: 'Amara' } } } };
    const states = client.watch(posting('Restarted'));
    expect((await states.next()).value).toMatchObject(draft);
    await postern.restart();
    expect((await states.next()).value).toMatchObject(draft);
    await states.return();
    await postern.logged(/"operationType":"subscription"/);
    const refused = visitorAt(`${server.address}/graphql`, 'wrong').watch(posting('Refused'));
    expect((await refused.next()).value).toMatchObject({ errors: [{ extensions: { code: 'INVALID_CREDENTIALS' } }] });
  });
});
