/** The README's backends for frontends, as they stand there: processes between a client and a gateway. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { graphql } from '../support/gateway.ts';
import { type ReadersProject, readersProject } from '../support/readme-clients.ts';
import { snippetFiles } from '../support/readme-section.ts';

const pnet = 'pnet-----------------A';
const heading = '### A backend for frontend';

let project: ReadersProject;
beforeAll(async () => {
  project = await readersProject('### From TypeScript', heading);
  await project.command('graphql-codegen', '--config', 'codegen.ts');
});
afterAll(() => project?.close());

test.each(Object.entries(snippetFiles(heading)))('%s has fewer than thirty lines', (_name, text) => {
  expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('//')).length).toBeLessThan(30);
});

test('TypeScript finds nothing wrong', async () => {
  expect(await project.compile()).toBe('');
});

describe('bff.ts', () => {
  const ask = async (address: string, path: string) => {
    const response = await fetch(address + path);
    return [response.status, await response.json()];
  };

  test('serves what the gateway has', async () => {
    const { address, close } = await project.serve('bff.ts');
    onTestFinished(close);
    const posting = { jobId: expect.any(String), jobState: expect.any(String) };
    expect(await ask(address, `/${pnet}`)).toEqual([
      200,
      { name: 'Demo PNET', status: 'OK', jobPostings: { nodes: [posting, posting, posting] } },
    ]);
    expect(await ask(address, '/mail-----------------B')).toEqual([404, null]);
  });

  test('goes on when a field fails', async () => {
    const key = await project.newKey(['accounts:read']);
    const { address, close } = await project.serve('bff.ts', { key });
    onTestFinished(close);
    expect(await ask(address, `/${pnet}`)).toEqual([502, null]);
    expect(await ask(address, '/mail-----------------B')).toEqual([404, null]);
  });
});

describe('yoga.ts', () => {
  let address: string;
  let close: () => void;
  beforeAll(async () => {
    ({ address, close } = await project.serve('yoga.ts'));
  });
  afterAll(() => close?.());

  const ask = (query: string) => graphql(address, undefined, query);
  /** What the gateway was asked for since then. */
  const requests = () => project.gateway.log.filter(({ msg }) => msg === 'request').length;

  test('adds a field, with one request for an operation', async () => {
    const before = requests();
    const { data, errors } = await ask(`{
      accounts(first: 2) { nodes { accountId owner } }
      account(accountId: "${pnet}") { name owner posts(identifier: "ACoSandbox250", first: 2) { nodes { __typename ... on NetworkPost { id } } } }
    }`);
    expect(errors).toEqual([]);
    expect(data).toEqual({
      accounts: {
        nodes: [
          { accountId: pnet, owner: 'Grace' },
          { accountId: 'photonet-------------A', owner: null },
        ],
      },
      account: {
        name: 'Demo PNET',
        owner: 'Grace',
        posts: { nodes: Array.from({ length: 2 }, () => ({ __typename: 'PnetPost', id: expect.any(String) })) },
      },
    });
    expect(requests()).toBe(before + 1);
  });

  test('keeps the errors of fields, with their codes', async () => {
    const { data, errors } = await ask(
      '{ account(accountId: "session-mismatch-----A") { name posts(identifier: "x") { nodes { __typename } } } }',
    );
    expect(data).toEqual({ account: { name: 'Session session_mismatch', posts: null } });
    expect(errors).toMatchObject([{ path: ['account', 'posts'], extensions: { code: 'SESSION_MISMATCH' } }]);
  });

  test('offers nothing else', async () => {
    const { errors } = await ask('{ webhooks { nodes { name } } }');
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('Cannot query field "webhooks"'),
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ]);
  });

  test('passes on subscriptions', async () => {
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({
        query: 'subscription { jobPostingUpdated(jobIds: ["1002"]) { jobState account { owner } } }',
      }),
    });
    let received = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received += text;
      if (received.includes('event: next')) break;
    }
    expect(received).toContain('{"data":{"jobPostingUpdated":{"jobState":"DRAFT","account":{"owner":"Grace"}}}}');
  });

  test('has types for its own clients', async () => {
    const codegen = snippetFiles('### From TypeScript')['codegen.ts'] ?? '';
    const own = codegen
      .replace('http://127.0.0.1:4000/schema.graphql', `${address}/schema.graphql`)
      .replace("'*.{ts,tsx}'", "'own/*.ts'");
    await project.write('own.codegen.ts', own.replaceAll("'gql/", "'own/gql/"));
    await project.write(
      'own/app.ts',
      "import { graphql } from './gql/gql.ts';\nexport const Owner = graphql(`query Owner($of: String!) { accounts { nodes { owner posts(identifier: $of) { nodes { __typename } } } } }`);\n",
    );
    await project.command('graphql-codegen', '--config', 'own.codegen.ts');
    const types = await readFile(join(project.directory, 'own/gql/graphql.ts'), 'utf8');
    const [, owner = ''] = /type OwnerQuery = ([^;]*);/.exec(types) ?? [];
    expect(owner).toMatch(/accounts: .*posts: /);
    // The others are null only with an error, which the schema of the gateway says.
    expect(owner.match(/\w+: \w+ \| null|\| null/g)).toEqual(['owner: string | null']);
  });

  test('sends the key of each visitor, and offers a mutation with the types of its result, if so configured', async () => {
    const told = (snippetFiles(heading)['yoga.ts'] ?? '').replace("['account'", "['publishJob', 'account'").replace(
      /const headers = .*/,
      // Its session is the header that the client of the tests sends.
      `const keyOf = (context: any) => 'Bearer ' + context.request.headers.get('x-api-key');
      const headers = (request: any) => ({ authorization: keyOf(request?.context) });`,
    );
    await project.write('visitors.ts', told);
    const server = await project.serve('visitors.ts', { key: 'none' });
    onTestFinished(server.close);
    const asVisitor = (session: string, query: string) => graphql(server.address, session, query);
    expect((await asVisitor('nobody', '{ accounts { totalCount } }')).errors).toMatchObject([
      { extensions: { code: 'INVALID_CREDENTIALS' } },
    ]);
    const { data } = await asVisitor(
      project.key,
      `mutation { publishJob(input: { accountId: "${pnet}", draftId: "1015", mode: PROMOTED }) {
        __typename ... on ServiceError { code }
      } }`,
    );
    expect(data).toEqual({ publishJob: { __typename: 'PaymentError', code: 'PAYMENT_ERROR' } });
  });
});
