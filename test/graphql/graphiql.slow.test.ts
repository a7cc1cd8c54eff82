/** GraphiQL: its examples over HTTP, how the page is served, and who receives the demo key. */
import { readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buildClientSchema, parse, printSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { createClient } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attachmentTypes } from '../../src/capabilities/posts/shapes.ts';
import { type SetUp, setUps } from '../../src/kernel/set-up.ts';
import { type Example, exampleParts, examples, servedExamples } from '../../src/pages/graphiql/examples.ts';
import { tokenLifetimeMs } from '../../src/pages/graphiql/sign-in.ts';
import { exampleOperation } from '../support/examples.ts';
import { type Gateway, type GraphQLResponse, graphql, startGateway } from '../support/gateway.ts';
import { sendBytes, sendBytesFrom } from '../support/raw-http.ts';
import { schema } from '../support/schema.ts';
import { schemas } from '../support/served-part.ts';

const demoKeyOf = async ({ directory }: Gateway): Promise<string> =>
  (await readFile(join(directory, 'demo-key'), 'utf8')).trim();

type Name = (typeof examples)[number]['name'];

const exampleOf = (name: Name): Example => examples.find((each) => each.name === name) as Example;

describe('the examples', () => {
  let gateway: Gateway;
  let key: string;

  beforeAll(async () => {
    gateway = await startGateway({
      environment: { DEMO: 'on' },
      // Nothing that an example sends leaves the machine.
      delivery: { lookup: async () => [] },
    });
    key = await demoKeyOf(gateway);
  });
  afterAll(() => gateway.close());

  const run = async (name: Name, variables: Readonly<Record<string, unknown>> = {}): Promise<GraphQLResponse> => {
    const example = exampleOf(name);
    return graphql(gateway.address, key, await exampleOperation(example), { ...example.variables, ...variables });
  };

  it.each(examples)('$name has one operation, after which the tab is named', async (example) => {
    const text = await exampleOperation(example);
    const { definitions } = parse(text);
    const operations = definitions.filter((each) => each.kind === 'OperationDefinition');
    expect(operations.map(({ name }) => name?.value)).toEqual([example.name]);
    // GraphiQL takes the title from the first line that looks like an operation and is not a comment.
    expect(/^(?!#).*(query|subscription|mutation)\s+(\w+)/m.exec(text)?.[2]).toBe(example.name);
    expect(text).toMatch(/^(query|subscription|mutation) /);
  });

  /** What the card above the operation says. */
  const commentOf = async (example: Example): Promise<string> => (await exampleParts(example)).about.join('\n');

  it.each(examples)('$name says what to try next, and names other examples as the menu does', async (example) => {
    const comment = await commentOf(example);
    expect(comment.split('\n').at(-1)).toMatch(/^Try next: /);
    const named = [...comment.matchAll(/"([A-Z][^"]+)"/g)].map(([, name]) => name);
    const known = ['Examples', ...examples.map(({ title }) => title)];
    expect(named.filter((name) => !known.includes(name as string))).toEqual([]);
    expect(named).not.toContain(example.title);
  });

  type Data = GraphQLResponse['data'];
  /** What some are there to show. All others have something in each of their lists. */
  const shows: Partial<Record<Name, (data: Data) => void>> = {
    WhoAmI: ({ accounts }) => expect(accounts.nodes.map(({ type }: { type: string }) => type)).toContain('PHOTONET'),
    EveryKindOfPost: ({ posts }) => {
      const all = (field: string) => posts.nodes.flatMap((post: Record<string, unknown>) => post[field] ?? []);
      expect(new Set(all('attachments').map(({ type }: { type: string }) => type))).toEqual(
        new Set(attachmentTypes.map((type) => type.toUpperCase())),
      );
      for (const field of ['title', 'writtenBy', 'mentions', 'poll', 'repostContent', 'group', 'analytics']) {
        expect(all(field), field).not.toEqual([]);
      }
    },
    NextPage: ({ posts }) => expect(posts).toMatchObject({ pageInfo: { hasNextPage: true } }),
    PublishWithOtp: ({ publish, wrong, right }) => {
      expect(publish.attemptsLeft).toBe(5);
      expect(wrong.code).toBe('INVALID_CHECKPOINT_SOLUTION');
      expect(['ACTIVE', 'REVIEW']).toContain(right.state);
    },
    PublishWithEmail: ({ publish, email, otp }) => {
      expect([publish.checkpointType, email.checkpointType]).toEqual(['EMAIL_VERIFICATION', 'OTP']);
      expect(otp.state).toBe('ACTIVE');
    },
    DeclinedPayment: ({ publishJob }) => expect(publishJob).toMatchObject({ code: 'PAYMENT_ERROR', status: 422 }),
    EmitEvent: ({ emitEvent }) =>
      expect(emitEvent.deliveries).toContainEqual(
        expect.objectContaining({ state: 'HELD', webhook: { name: 'Demo messaging', isEnabled: false } }),
      ),
    Deliveries: ({ webhook }) => expect(webhook.deliveries.nodes[0].event).toBe('MESSAGE_RECEIVED'),
    // Of the week that the demo begins with.
    WebhookStatistics: ({ webhook }) => expect(webhook.statistics.total.count).toBeGreaterThan(0),
    WorkspaceDeliveries: ({ deliveries }) => expect(deliveries.totalCount).toBeGreaterThan(0),
    // The one whose receiver fails by design.
    WebhookSummary: ({ webhooks }) => expect(webhooks.totalCount).toBe(1),
    WebhookSecret: ({ show, rotate }) => expect(rotate.secret).not.toBe(show.secret),
    TypedError: (data) => expect(data).toEqual({ posts: null }),
  };
  /** With what is refused, or not there. */
  const lackingSome: readonly Name[] = ['DeclinedPayment', 'Deliveries', 'PublishWithOtp', 'Redeliver', 'TypedError'];

  /** The lists of nodes that are empty, the results that are errors, and what is null at the root. */
  const lacking = (value: unknown, at = ''): string[] => {
    if (value === null) return at.includes('.') ? [] : [at];
    if (typeof value !== 'object') return [];
    // What an item leads to may be nothing.
    if (Array.isArray(value)) return value.length === 0 && at.endsWith('nodes') ? [at] : [];
    if (/Error$/.test(String(Reflect.get(value, '__typename')))) return [at];
    return Object.entries(value).flatMap(([key, each]) => lacking(each, at === '' ? key : `${at}.${key}`));
  };

  it.each(examples.filter(({ name }) => !name.startsWith('Watch')))('$name runs unchanged, twice', async (example) => {
    const [first, second] = [await run(example.name), await run(example.name)];
    for (const { status, errors } of [first, second]) {
      expect(status).toBe(200);
      if (example.name === 'TypedError') {
        expect(errors).toMatchObject([{ path: ['posts'], extensions: { code: 'USER_UNREACHABLE' } }]);
      } else {
        expect(errors).toEqual([]);
      }
    }
    if (!lackingSome.includes(example.name)) expect(lacking(first.data)).toEqual([]);
    shows[example.name]?.(first.data);
    // Where the second run finds what the first has done, the comment says so.
    const failures = ({ data }: GraphQLResponse) =>
      Object.values<{ __typename?: string } | null>(data).filter((result) => result?.__typename?.endsWith('Error'));
    const comment = await commentOf(example);
    expect(/second time|Run it twice/.test(comment)).toBe(failures(second).length > failures(first).length);
  });

  it.each([
    ['WatchJobPostings', 'jobPostingUpdated'],
    ['WatchAccounts', 'accountUpdated'],
  ] as const)('%s emits the present state at once', async (name, field) => {
    const example = exampleOf(name);
    const client = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': key } });
    const results = client.iterate({ query: await exampleOperation(example), variables: example.variables });
    for (let seen = 0; seen < 2; seen += 1) {
      expect((await results.next()).value).toMatchObject({ data: { [field]: expect.any(Object) } });
    }
    client.dispose();
  });

  it.each(['WatchDeliveries', 'WatchEvents'] as const)('%s emits as soon as an event is emitted', async (name) => {
    const example = exampleOf(name);
    const leave = new AbortController();
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      signal: leave.signal,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
      body: JSON.stringify({ query: await exampleOperation(example), variables: example.variables }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await run('EmitEvent');
    let seen = '';
    // Some webhooks of the demo have a receiver; the others hold their deliveries.
    const states = name === 'WatchEvents' ? ['"data":{'] : ['"state":"HELD"', '"state":"SUCCEEDED"'];
    while (!states.every((state) => seen.includes(state))) {
      const { value, done } = (await events?.read()) ?? { done: true };
      if (done) break;
      seen += value;
    }
    leave.abort();
    expect(seen).toContain('MESSAGE_RECEIVED');
  });

  it('every field of Query, Mutation and Subscription is in an example', async () => {
    const shown = new Set<string>();
    for (const example of examples) {
      const types = new TypeInfo(schema);
      visit(
        parse(await exampleOperation(example)),
        visitWithTypeInfo(types, {
          Field: ({ name }) => void shown.add(`${types.getParentType()?.name}.${name.value}`),
        }),
      );
    }
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const fields = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}).map((name) => `${root?.name}.${name}`));
    expect(
      fields.filter((field) => !shown.has(field)),
      'No example of GraphiQL shows these fields: write src/pages/graphiql/examples/<Operation>.graphql with a comment on top, and add it to examples.ts with variables that work in the demo workspace',
    ).toEqual([]);
  });
});

describe.each(setUps.filter((setUp) => setUp !== 'embedded'))('the examples of %s', (setUp) => {
  let service: Gateway;
  let front: Gateway;
  let key: string;

  beforeAll(async () => {
    service = await startGateway({ environment: { DEMO: 'on' } });
    const demoKey = await demoKeyOf(service);
    const ownKeys = { UPSTREAM_URL: service.address, UPSTREAM_API_KEY: demoKey };
    const environments: Partial<Record<SetUp, Readonly<Record<string, string>>>> = {
      'own-webhooks': { ...ownKeys, WEBHOOKS: 'own', PUBLIC_URL: 'http://127.0.0.1:9', INTAKE_EVENTS: 'ok' },
      'own-keys': ownKeys,
      'forwarded-keys': { UPSTREAM_URL: service.address },
    };
    front = await startGateway({ environment: environments[setUp] ?? {} });
    key = setUp === 'forwarded-keys' ? demoKey : (await front.workspace()).key;
  });
  afterAll(async () => {
    await front.close();
    await service.close();
  });

  it('name only each other, and have the variables that they declare', async () => {
    const served = (await servedExamples(schemas[setUp])).flatMap((group) => group.examples);
    const missing = examples.filter(({ name }) => served.every((each) => each.name !== name));
    for (const { name, about, query, variables } of served) {
      expect(
        missing.filter(({ title }) => about.join('\n').includes(`"${title}"`)),
        name,
      ).toEqual([]);
      for (const variable of Object.keys(variables)) expect(query, name).toContain(`$${variable}:`);
    }
  });

  it('run, and fail only where they show a failure or name an object of the demo', async () => {
    const failed: Record<string, unknown[]> = {};
    for (const { name, query, variables } of (await servedExamples(schemas[setUp])).flatMap(
      (group) => group.examples,
    )) {
      if (query.startsWith('subscription')) continue;
      const { data, errors } = await graphql(front.address, key, query, variables);
      const results = Object.values<{ readonly code?: unknown } | null>(data ?? {});
      const codes = [...errors.map(({ extensions }) => extensions), ...results].flatMap((each) => each?.code ?? []);
      const unexpected = codes.filter((code) => code !== 'RESOURCE_NOT_FOUND' || setUp !== 'own-webhooks');
      if (unexpected.length > 0) failed[name] = unexpected;
    }
    expect(failed).toEqual({
      PublishWithOtp: ['INVALID_CHECKPOINT_SOLUTION'],
      TypedError: ['USER_UNREACHABLE'],
      DeclinedPayment: ['PAYMENT_ERROR'],
    });
  });
});

describe('the page', () => {
  let gateway: Gateway;
  let key: string;

  beforeAll(async () => {
    gateway = await startGateway({ environment: { DEMO: 'on' } });
    key = await demoKeyOf(gateway);
  });
  afterAll(() => gateway.close());

  it('is served to browsers only', async () => {
    const page = await get(gateway);
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    const query = await get(gateway, { accept: 'application/json' }, '/graphql?query=%7B__typename%7D');
    expect(JSON.parse(query.body)).toEqual({ data: { __typename: 'Query' } });
  });

  it('may not be framed or stored, and loads nothing from other origins', async () => {
    const { headers, body } = await get(gateway);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(
      body
        .match(/(?:src|href)="[^"]*/g)
        ?.filter((each) => !/"(?:\/graphql\/|\/(?:graphql|webhooks|jobs-and-posts|docs)?$|data:)/.test(each)),
    ).toEqual([]);
  });

  it('serves its files compressed and immutable', async () => {
    const { body } = await get(gateway);
    const files = [...body.matchAll(/"(\/graphql\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path as string);
    const script = files.find((path) => path.endsWith('/graphiql.js')) as string;
    const sizes = await Promise.all(
      ['', 'gzip', 'gzip;q=0.5, br', 'br;q=0'].map(async (accepted) => {
        const { headers, bytes } = await get(gateway, { 'accept-encoding': accepted }, script);
        expect(headers['cache-control']).toContain('immutable');
        return [headers['content-encoding'], bytes] as const;
      }),
    );
    expect(sizes.map(([encoding]) => encoding)).toEqual([undefined, 'gzip', 'br', undefined]);
    const [plain, gzip, br] = sizes.map(([, bytes]) => bytes) as [number, number, number];
    expect(gzip).toBeLessThan(plain / 3);
    expect(br).toBeLessThan(gzip);
    expect((await get(gateway, {}, script.replace(/assets\/[^/]+/, 'assets/older'))).status).toBe(404);
  });

  it('serves every module that its modules import, and the schema as a client reads it', async () => {
    const { body } = await get(gateway);
    const [, folder = ''] = /"(\/graphql\/assets\/[^/]+\/)/.exec(body) ?? [];
    const seen = new Set(['boot.js']);
    for (const name of seen) {
      const module = await get(gateway, {}, `${folder}${name}`);
      expect(module, name).toMatchObject({
        status: 200,
        headers: { 'content-type': 'text/javascript; charset=utf-8' },
      });
      for (const [, imported] of module.body.matchAll(/^import .* from '\.\/([^']+)'/gm)) seen.add(imported as string);
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['event-stream.js', 'examples.js', 'send-operation.js', 'storage.js']),
    );
    const introspection = JSON.parse((await get(gateway, {}, `${folder}introspection.json`)).body);
    expect(printSchema(buildClientSchema(introspection))).toBe(printSchema(schema));
  });

  it('shows no schema where introspection is switched off', async () => {
    const other = await startGateway({ environment: { INTROSPECTION: 'off' } });
    try {
      const { body } = await get(other);
      expect(optionsIn(body)).toMatchObject({ introspection: false });
      const [, folder = ''] = /"(\/graphql\/assets\/[^/]+\/)/.exec(body) ?? [];
      expect((await get(other, {}, `${folder}boot.js`)).status).toBe(200);
      expect((await get(other, {}, `${folder}introspection.json`)).status).toBe(404);
    } finally {
      await other.close();
    }
  });

  it.each<[string, Record<string, string>]>([
    ['a loopback name', { host: 'localhost:4000' }],
    ['a loopback address', { host: '127.0.0.1' }],
    ['a name that was made to lead here', { host: 'rebound.example:4000' }],
    ['an address of the network', { host: '192.168.1.20' }],
    ...['x-forwarded-for', 'x-forwarded-proto', 'cf-connecting-ip', 'via', 'true-client-ip'].map(
      (name): [string, Record<string, string>] => [`a proxy that sends ${name}`, { host: '127.0.0.1', [name]: 'x' }],
    ),
  ])('contains no key under %s, with and without a token, in HTTP/1.1 and 1.0', async (_case, headers) => {
    for (const path of ['/graphql', `/graphql?token=${gateway.app.signInToken}`]) {
      const { status, body } = await get(gateway, headers, path);
      expect(status).toBe(200);
      expect(body).not.toContain(key);
      expect(body).not.toContain(gateway.app.signInToken);
      const plain = await sendBytes(
        gateway.address,
        `GET ${path} HTTP/1.0\r\naccept: text/html\r\n${Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`,
      );
      expect(plain).toContain('HTTP/1.1 200');
      expect(plain).not.toContain(key);
    }
  });

  it.each([
    ['in production', { DEMO: 'on', NODE_ENV: 'production' }],
    ['when other machines can connect', { DEMO: 'on', HOST: '0.0.0.0' }],
    ['without a demo workspace', { DEMO: 'off' }],
    ['without GraphiQL', { DEMO: 'on', GRAPHIQL: 'off' }],
    ['in proxy mode', { DEMO: 'on', UPSTREAM_URL: 'http://127.0.0.1:1' }],
  ])('has no link %s', async (_case, environment) => {
    const other = await startGateway({ environment });
    try {
      expect(other.app.signInToken).toBeNull();
      expect((await exchange(other, 'x')).status).toBe(404);
    } finally {
      await other.close();
    }
  });

  it('can be disabled', async () => {
    const other = await startGateway({ environment: { GRAPHIQL: 'off' } });
    try {
      const { status, body } = await get(other);
      expect(status).not.toBe(200);
      expect(body).not.toContain('<');
    } finally {
      await other.close();
    }
  });
});

describe('the link', () => {
  let gateway: Gateway;
  let token: string;

  beforeEach(async () => {
    gateway = await startGateway({ environment: { DEMO: 'on' } });
    token = gateway.app.signInToken as string;
  });
  afterEach(() => gateway.close());

  it('has a token that cannot be guessed, and another one after each start', async () => {
    expect(token).toMatch(/^[\w-]{43}$/);
    const other = await startGateway({ environment: { DEMO: 'on' } });
    await other.close();
    expect(other.app.signInToken).not.toBe(token);
  });

  it('is exchanged for the key once, however many ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(gateway, token)));
    const [first, ...more] = answers.filter(({ key }) => key !== undefined);
    expect(first).toMatchObject({ status: 200, key: await demoKeyOf(gateway) });
    expect(more).toEqual([]);
    for (const { code } of answers.filter(({ status }) => status !== 200)) expect(code).toBe('EXPIRED_LINK');
    expect((await exchange(gateway, token)).status).toBe(401);
  });

  it('is not exchanged for another token, which leaves it valid', async () => {
    const offers: [string, (own: string) => string | undefined][] = [
      ['no token', () => undefined],
      ['an empty token', () => ''],
      ['another token', () => 'x'.repeat(43)],
      ['a part of the token', (own: string) => own.slice(0, -1)],
      ['more than the token', (own: string) => `${own}A`],
      ['two tokens', (own: string) => `${own} ${own}`],
      ['a long token', () => 'x'.repeat(2_000)],
    ];
    for (const [what, offered] of offers) {
      expect(await exchange(gateway, offered(token)), what).toMatchObject({ status: 401, code: 'EXPIRED_LINK' });
    }
    expect((await exchange(gateway, token)).status).toBe(200);
  });

  it('expires', async () => {
    const issued = gateway.clock.now.getTime();
    gateway.clock.now = new Date(issued + tokenLifetimeMs);
    expect(await exchange(gateway, token)).toMatchObject({ status: 401, code: 'EXPIRED_LINK' });
    gateway.clock.now = new Date(issued + tokenLifetimeMs - 1);
    expect((await exchange(gateway, token)).status).toBe(200);
  });

  it('is refused when the key was deleted', async () => {
    await rm(join(gateway.directory, 'demo-key'));
    expect(await exchange(gateway, token)).toMatchObject({ status: 401, code: 'EXPIRED_LINK' });
  });

  it('is not exchanged by another page or through a proxy, which leaves it valid', async () => {
    const pages: [string, { host?: string; origin: string | undefined }][] = [
      ['another site', { origin: 'https://site.example' }],
      ['no page', { origin: undefined }],
      ['a page without an origin', { origin: 'null' }],
      ['a page behind a proxy that sends a loopback HOST', { origin: 'http://tunnel.example' }],
      ['a page of another port', { origin: 'http://127.0.0.1:1' }],
      ['a page under a name that was made to lead here', { host: 'rebound.example', origin: 'http://rebound.example' }],
      ['a page under a name that looks like this machine', { host: 'localhost.evil', origin: 'http://localhost.evil' }],
      ['a page over TLS, which the gateway does not speak', { host: 'localhost', origin: 'https://localhost' }],
    ];
    for (const [what, headers] of pages) expect((await exchange(gateway, token, headers)).status, what).toBe(403);

    // Nor through a proxy, whatever header it adds.
    const headers = [
      ['forwarded', 'for=203.0.113.1'],
      ['x-forwarded-for', '127.0.0.1'],
      ['X-Forwarded-Proto', 'http'],
      ['x-client-ip', ''],
      ['cdn-loop', 'cloudflare'],
      ['a-header-of-tomorrow', 'x'],
    ];
    for (const [name, value] of headers) {
      expect((await exchange(gateway, token, { added: [`${name}: ${value}`] })).status, name).toBe(403);
    }
    // Nor for a request that the browser calls of another site.
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await exchange(gateway, token, { added: [`sec-fetch-site: ${site}`] })).status, site).toBe(403);
    }
    expect((await exchange(gateway, token, { added: ['sec-fetch-site: same-origin'] })).status).toBe(200);
  });

  it('is exchanged with all that browsers send by themselves', async () => {
    const added = [
      'user-agent: Mozilla/5.0',
      'accept: */*',
      'accept-language: en',
      'accept-encoding: gzip, deflate, br, zstd',
      'referer: http://127.0.0.1/graphql',
      'sec-fetch-dest: empty',
      'sec-fetch-mode: cors',
      'sec-fetch-site: same-origin',
      'sec-ch-ua: "Chromium";v="140"',
      'sec-ch-ua-mobile: ?0',
      'sec-ch-ua-platform: "Linux"',
      'sec-gpc: 1',
      'dnt: 1',
      'priority: u=4',
      'te: trailers',
      'pragma: no-cache',
      'cache-control: no-cache',
      'cookie: of-another-port=1',
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ];
    expect((await exchange(gateway, token, { added })).status).toBe(200);
  });

  it('is not exchanged over a connection from another machine, whatever address a trusted proxy reports', async () => {
    const { port } = new URL(gateway.address);
    const asked = `POST /graphql/demo-key HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\norigin: ${gateway.address}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`;
    const ask = (from: string) => sendBytesFrom(from, gateway.app.server.server, asked);
    for (const address of ['203.0.113.1', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1']) {
      expect(await ask(address)).toContain('HTTP/1.1 403');
    }
    expect(await ask('::ffff:127.0.0.1')).toContain('HTTP/1.1 200');
  });

  it.each([['127.0.0.1'], ['localhost'], ['[::1]'], ['LOCALHOST'], ['localhost:4000']])(
    'is exchanged by a page under %s',
    async (host) => {
      expect((await exchange(gateway, token, { host, origin: `http://${host}` })).status).toBe(200);
    },
  );

  it('takes a token from nowhere but the Authorization header, and cannot be read across origins', async () => {
    const { port } = new URL(gateway.address);
    const asked = `POST /graphql/demo-key?token=${token} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\norigin: ${gateway.address}\r\nconnection: close\r\n\r\n`;
    const text = await sendBytes(gateway.address, asked);
    expect(text).toContain('HTTP/1.1 401');
    expect(text.toLowerCase()).not.toContain('access-control');
    const read = await get(gateway, { authorization: `Bearer ${token}`, origin: gateway.address }, '/graphql/demo-key');
    expect(read.status).toBe(405);
  });

  it('is logged nowhere, and neither is the key', async () => {
    const key = await demoKeyOf(gateway);
    await get(gateway, {}, `/graphql?token=${token}`);
    await get(gateway, { accept: '*/*' }, `/graphql?token=${token}`);
    await exchange(gateway, token);
    await exchange(gateway, token);
    await expect.poll(() => gateway.log.filter(({ path }) => path === '/graphql/demo-key')).toHaveLength(2);
    expect(JSON.stringify(gateway.log)).not.toContain(token);
    expect(JSON.stringify(gateway.log)).not.toContain(key);
  });
});

/** The data that the page has for its script. */
const optionsIn = (page: string): unknown =>
  JSON.parse(/<script type="application\/json" id="graphiql">(.*?)<\/script>/.exec(page)?.[1] ?? 'null');

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly bytes: number;
}

/** A GET with headers that `fetch` does not allow, such as Host. */
function get({ address }: Gateway, headers: Readonly<Record<string, string>> = {}, path = '/graphql'): Promise<Got> {
  const { port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, headers: { accept: 'text/html', ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: body.toString(),
            bytes: body.length,
          });
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

/** Exchanges a token as the page does, under the address of the gateway unless the headers say otherwise. */
async function exchange(
  { address }: Gateway,
  token: string | undefined,
  {
    host = new URL(address).host,
    added = [],
    ...more
  }: { readonly host?: string; readonly origin?: string | undefined; readonly added?: readonly string[] } = {},
): Promise<{ readonly status: number; readonly key?: string; readonly code?: string }> {
  const origin = 'origin' in more ? more.origin : `http://${host}`;
  const lines = [
    'POST /graphql/demo-key HTTP/1.1',
    `host: ${host}`,
    ...(origin === undefined ? [] : [`origin: ${origin}`]),
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...added,
    'content-length: 0',
    'connection: close',
  ];
  const text = await sendBytes(address, `${lines.join('\r\n')}\r\n\r\n`);
  const { key, errors } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
  return { status: Number(text.split(' ')[1]), key, code: errors?.[0].extensions.code };
}
