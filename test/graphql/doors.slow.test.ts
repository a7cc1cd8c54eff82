/** Whatever a client asks for, what it gets does not depend on the door: ours for JSON, or Yoga's for events. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { backends, onOneDatabase, type SeededWorkspace, type Served, seeded } from '../support/backends.ts';
import { type GatewayOptions, startGateway } from '../support/gateway.ts';
import { fieldOperations, furnish, type Named } from '../support/operations.ts';
import { outlined } from '../support/outlined.ts';

interface Request {
  readonly key?: string;
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
}

interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** With the types of values that differ between two runs in their place. */
  readonly body: unknown;
}

const ways = { json: 'application/graphql-response+json', events: 'text/event-stream' } as const;

/** The JSON of a response, which may be an event. */
const jsonIn = (body: string): string => /^data: (\{.*)$/m.exec(body)?.[1] ?? body;

async function ask(address: string, way: keyof typeof ways, { key, ...body }: Request): Promise<Came> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: ways[way],
      'x-request-id': 'request-id-of-the-test',
      ...(key === undefined ? {} : { 'x-api-key': key }),
    },
    body: JSON.stringify(body),
  });
  const { status } = response;
  return { status, headers: headersOf(response), body: outlined(JSON.parse(jsonIn(await response.text()))) };
}

/** Those that are not about how the bytes are sent. */
const headersOf = ({ headers }: Response): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...headers].filter(
      ([name]) => !/^(?:date|ratelimit|vary|connection|keep-alive|x-accel.*|content-.*|transfer-.*)$/.test(name),
    ),
  );

/** Of no workspace. */
const nobody: Named = { accountId: 'acc_1', draftId: '1', webhookId: 'wh_1', triggerId: 'wh_2', deliveryId: 'dlv_1' };

/** A gateway of the tests beside it. */
function shared(options?: GatewayOptions) {
  const common = {} as { address: string; key: string };
  let close = async () => {};
  beforeAll(async () => {
    const gateway = await startGateway(options);
    close = gateway.close;
    Object.assign(common, { address: gateway.address, key: (await gateway.workspace()).key });
  });
  afterAll(() => close());
  return common;
}

/** A gateway of one test. */
async function open(options?: GatewayOptions) {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

describe.each(onOneDatabase(backends))('$name', ({ start, serves }) => {
  let served: Served;
  beforeAll(async () => {
    served = await start();
  });
  afterAll(() => served.close());

  async function furnished(): Promise<{ workspace: SeededWorkspace; named: Named }> {
    const workspace = await served.workspace();
    return { workspace, named: serves.drafts ? await furnish(workspace) : nobody };
  }

  test.each(fieldOperations)('$field', async ({ document }) => {
    const came: Partial<Record<keyof typeof ways, Came>> = {};
    for (const way of ['json', 'events'] as const) {
      const { workspace, named } = await furnished();
      came[way] = await ask(served.address, way, { key: workspace.key, query: document(named) });
    }
    const { json, events } = came as Record<keyof typeof ways, Came>;
    // A client of events reads none of another status.
    expect({ ...events, status: json.status }).toEqual(json);
  });
});

describe('names that JavaScript knows', () => {
  const objectNames = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__');
  const create = `createWebhook(input: { requestUrl: "https://hooks.example/then", isEnabled: false, source: USERS })`;
  const named: readonly (readonly [string, Omit<Request, 'key'>, string])[] = [
    ['a field', { query: '{ viewer { then: name } }' }, '{"viewer":{"then":"'],
    ['a root field', { query: '{ then: __typename viewer { __typename } }' }, '{"then":"Query","viewer":{'],
    ['an object', { query: '{ then: viewer { then: __typename } }' }, '{"then":{"then":"Viewer"}}'],
    [
      'a mutation',
      { query: `mutation { a: ${create} { __typename } then: ${create} { __typename } }` },
      '{"a":{"__typename":"WebhookCreated"},"then":{"__typename":"WebhookCreated"}}',
    ],
    [
      'a field beside a mutation',
      { query: `mutation { then: __typename a: ${create} { then: __typename } }` },
      '{"then":"Mutation","a":{"then":"WebhookCreated"}}',
    ],
    ...objectNames.map((name): readonly [string, Omit<Request, 'key'>, string] => [
      `a variable ${name} with a default`,
      { query: `query ($${name}: Int = 1) { accounts(first: $${name}) { __typename } }`, variables: {} },
      '{"accounts":{"__typename":"AccountConnection"}}',
    ]),
    ...[...objectNames, '__proto__'].map((name): readonly [string, Omit<Request, 'key'>, string] => [
      `an alias ${name}`,
      { query: `{ ${name}: viewer { ${name}: __typename } }` },
      `{"${name}":{"${name}":"Viewer"}}`,
    ]),
  ];

  const gateway = shared();
  test.each(named)('%s', async (_, request, data) => {
    const { address, key } = gateway;
    for (const accept of Object.values(ways)) {
      const response = await fetch(`${address}/graphql`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify(request),
      });
      const body = jsonIn(await response.text());
      expect(body.slice(0, 8 + data.length)).toBe(`{"data":${data}`);
      expect(body).not.toContain('"errors"');
    }
  });
});

test.each(Object.entries(ways))('no further mutation is executed for a client that has gone: %s', async (_, accept) => {
  const edited = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let edits = 0;
  const gateway = await open({
    providers: (sandbox) => ({
      ...sandbox,
      PNET: {
        ...sandbox.PNET,
        async editPosting(...args) {
          edits += 1;
          edited.resolve();
          await release.promise;
          return sandbox.PNET.editPosting(...args);
        },
      },
    }),
  });
  const workspace = await seeded(gateway, gateway.address).workspace();
  const accountId = await workspace.account();
  const jobIds = await Promise.all([1, 2].map(() => workspace.draft({ accountId, state: 'active' })));
  const edit = (jobId: string, at: number) =>
    `e${at}: editJob(input: { accountId: "${accountId}", jobId: "${jobId}", posting: { description: "new" } }) { __typename }`;
  const gone = new AbortController();
  const response = fetch(`${gateway.address}/graphql`, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json', 'x-api-key': workspace.key },
    body: JSON.stringify({ query: `mutation { ${jobIds.map(edit).join(' ')} }` }),
    signal: gone.signal,
  });
  await edited.promise;
  gone.abort();
  await expect(response).rejects.toThrow('aborted');
  await expect.poll(() => gateway.log.some(({ msg }) => msg === 'request')).toBe(true);
  release.resolve();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(edits).toBe(1);
});

test.each(['json', 'events'] as const)('a request too many is refused before its document is read: %s', async (way) => {
  const gateway = await open({ environment: { REQUESTS_PER_MINUTE: '1' } });
  const { key } = await gateway.workspace();
  const query = '{ viewer { name } }';
  await ask(gateway.address, way, { key, query });
  const { status } = await ask(gateway.address, way, { key, query });
  expect(status).toBe(503);
  const lines = () => gateway.log.filter(({ msg }) => msg === 'request');
  await expect.poll(() => lines().length).toBe(2);
  expect(lines()[0]).toHaveProperty('operationType');
  expect(lines()[1]).not.toHaveProperty('operationType');
});

test('a mutation whose response cannot be made was executed once, and says that something went wrong', async () => {
  const gateway = await open();
  const workspace = await seeded(gateway, gateway.address).workspace();
  const accountId = await workspace.account();
  const { stringify } = JSON;
  const broken = vi.spyOn(JSON, 'stringify').mockImplementation((value, ...options) => {
    if (typeof value === 'object' && value !== null && 'data' in value) throw new RangeError('too deep');
    return stringify(value, ...(options as [])) as string;
  });
  const input = `{ accountId: "${accountId}", posting: { jobTitle: { text: "New" } } }`;
  const response = await ask(gateway.address, 'json', {
    key: workspace.key,
    query: `mutation { createJobDraft(input: ${input}) { __typename } }`,
  });
  broken.mockRestore();
  expect(response.status).toBe(500);
  expect(JSON.stringify(response.body)).toContain('UNEXPECTED_ERROR');
  const jobs = await gateway.app.database.selectFrom('jobs').select('id').execute();
  expect(jobs).toHaveLength(1);
  expect(gateway.log).toContainEqual(expect.objectContaining({ msg: 'request failed', level: 50 }));
});
