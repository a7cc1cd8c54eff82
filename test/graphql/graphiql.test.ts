/** GraphiQL: its examples over HTTP, which clients receive the demo key, and the page in a browser. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Example, exampleOperation, examples } from '../../src/graphql/graphiql/examples.ts';
import { schema } from '../../src/graphql/schema.ts';
import { type Gateway, type GraphQLResponse, graphql, startGateway } from '../support/gateway.ts';
import { chromium } from '../support/servers.ts';

const demoKeyOf = async ({ directory }: Gateway): Promise<string> =>
  (await readFile(join(directory, 'demo-key'), 'utf8')).trim();

type Name = (typeof examples)[number]['name'];

const exampleOf = (name: Name): Example => examples.find((each) => each.name === name) as Example;

describe('the examples', () => {
  let gateway: Gateway;
  let key: string;

  /** Pages that pnet was asked for. */
  let reads = 0;

  beforeAll(async () => {
    gateway = await startGateway({
      environment: { DEMO: 'on' },
      // Nothing that an example sends leaves the machine.
      delivery: { lookup: async () => [] },
      providers: ({ PNET, ...others }) => ({
        ...others,
        PNET: {
          ...PNET,
          listPosts(...query) {
            reads++;
            return PNET.listPosts(...query);
          },
        },
      }),
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
    expect(text).toMatch(/^# \w/);
  });

  /** What each is there to show, seen in its answer. */
  const shows: Record<Name, (data: GraphQLResponse['data']) => void> = {
    WhoAmI: ({ viewer, accounts }) => {
      expect(viewer.workspace.name).toBe('Demo');
      expect(accounts.nodes.map(({ type }: { type: string }) => type)).toContain('PHOTONET');
    },
    PnetPosts: ({ posts }) => expect(posts.nodes).toHaveLength(5),
    EveryKindOfPost: ({ posts }) => {
      const all = (field: string) => posts.nodes.flatMap((post: Record<string, unknown>) => post[field] ?? []);
      expect(new Set(all('attachments').map((each: { __typename: string }) => each.__typename))).toEqual(
        new Set(
          schema
            .getPossibleTypes(schema.getType('PnetPostAttachment') as never)
            .map(({ name }) => name)
            .filter((name) => name !== 'UnknownAttachment'),
        ),
      );
      for (const field of ['title', 'writtenBy', 'mentions', 'poll', 'repostContent', 'group', 'analytics']) {
        expect(all(field), field).not.toEqual([]);
      }
    },
    CompanyPosts: ({ posts }) => expect(posts.nodes[0]).toMatchObject({ author: { isCompany: true } }),
    PhotonetPosts: ({ posts }) => expect(posts.nodes[0]).toMatchObject({ __typename: 'PhotonetPost' }),
    AuthorPosts: ({ posts }) => expect(posts.nodes[0].author.posts.nodes).toHaveLength(2),
    NextPage: ({ posts }) => expect(posts).toMatchObject({ pageInfo: { hasNextPage: true } }),
    JobPostings: ({ drafts, jobPosting }) => {
      expect(drafts.nodes.length).toBeGreaterThan(20);
      expect(jobPosting.jobState).toBe('ACTIVE');
    },
    CreateDraft: ({ createJobDraft }) => expect(createJobDraft.jobState).toBe('DRAFT'),
    EditJob: ({ editJob }) =>
      expect(editJob.jobPosting).toMatchObject({ workplace: 'REMOTE', recruiter: { projectId: '77' } }),
    PublishAtOnce: ({ publishJob }) => expect(publishJob.jobState).toBe('ACTIVE'),
    PublishWithOtp: ({ publish, wrong, right }) => {
      expect(publish.jobPosting.checkpoint.attemptsLeft).toBe(5);
      expect(wrong.type).toBe('errors/invalid_checkpoint_solution');
      expect(right.jobState).toBe('ACTIVE');
    },
    PublishWithEmail: ({ publish, email, otp }) => {
      expect(publish.checkpointType).toBe('EMAIL_VERIFICATION');
      expect(email.checkpointType).toBe('OTP');
      expect(otp.jobState).toBe('ACTIVE');
    },
    PaymentError: ({ publishJob }) =>
      expect(publishJob).toMatchObject({ __typename: 'PaymentError', type: 'errors/payment_error', status: 422 }),
    Webhooks: ({ webhooks, webhook }) => {
      expect(webhooks.nodes.map((each: { __typename: string }) => each.__typename)).toEqual(
        expect.arrayContaining(['AutoWebhook', 'TriggerWebhook']),
      );
      expect(webhook.data).not.toEqual([]);
    },
    CreateWebhook: ({ createWebhook }) => expect(createWebhook.webhook.data).toHaveLength(2),
    WebhookOfEverySource: (data) => {
      expect(Object.keys(data)).toHaveLength(6);
      for (const each of Object.values(data)) expect(each).toMatchObject({ __typename: 'WebhookCreated' });
    },
    UpdateWebhook: ({ updateWebhook, setWebhookEnabled }) => {
      expect(updateWebhook.webhook.name).toBe('Team email');
      expect(setWebhookEnabled.webhook.enabled).toBe(true);
    },
    EventSamples: ({ eventSamples }) => {
      expect(eventSamples).toHaveLength(6);
      expect(eventSamples[0].payload.event).toBe('message_received');
    },
    EmitEvent: ({ emitEvent }) =>
      expect(emitEvent.deliveries).toContainEqual(
        expect.objectContaining({ state: 'HELD', webhook: { name: 'Demo messaging', enabled: false } }),
      ),
    SendTestEvent: ({ sendTestEvent }) => expect(sendTestEvent.deliveries).toHaveLength(1),
    WatchDeliveries: () => expect.unreachable('it is a subscription'),
    Deliveries: ({ webhook }) => expect(webhook.deliveries.nodes[0].event).toBe('MESSAGE_RECEIVED'),
    ResendDeliveries: ({ redeliverAll, redeliver }) => {
      expect(redeliverAll.__typename).toBe('DeliveriesRedelivered');
      expect(redeliver.__typename).toBe('NotFoundError');
    },
    WebhookSecret: ({ show, rotate }) => {
      expect(show.secret).toMatch(/^whsec_/);
      expect(rotate.secret).not.toBe(show.secret);
    },
    TriggerWebhook: ({ create, fire }) => {
      expect(create.webhook.trigger.icon).toBe('SyncAltIcon');
      expect(fire.__typename).toBe('EventEmitted');
    },
    DeleteWebhook: ({ deleteWebhook }) => expect(deleteWebhook.__typename).toBe('WebhookDeleted'),
    NodesById: ({ node, nodes, account }) => {
      expect(node.__typename).toBe('Account');
      expect(nodes.map((each: { __typename: string }) => each.__typename)).toEqual(['PnetJobPosting', 'AutoWebhook']);
      expect(account.type).toBe('PHOTONET');
    },
    TypedError: (data) => expect(data).toBeNull(),
  };

  it.each(examples.filter(({ name }) => name !== 'WatchDeliveries'))('$name runs unchanged', async ({ name }) => {
    const { status, data, errors } = await run(name);
    expect(status).toBe(200);
    if (name === 'TypedError') {
      expect(errors).toMatchObject([{ path: ['posts'], extensions: { type: 'errors/user_unreachable' } }]);
    } else {
      expect(errors).toEqual([]);
    }
    shows[name](data);
  });

  it('WatchDeliveries emits the delivery of an event as soon as the event is emitted', async () => {
    const example = exampleOf('WatchDeliveries');
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
    while (!seen.includes('MESSAGE_RECEIVED')) {
      const { value, done } = (await events?.read()) ?? { done: true };
      if (done) break;
      seen += value;
    }
    leave.abort();
    expect(seen).toContain('"state":"HELD"');
  });

  it('NextPage continues with its cursor in the variables', async () => {
    const first = await run('NextPage');
    const second = await run('NextPage', { after: first.data.posts.pageInfo.endCursor });
    expect(second.data.posts.edges).toHaveLength(100);
    expect(second.data.posts.edges[0].node.providerId).not.toBe(first.data.posts.edges[0].node.providerId);
  });

  it('AuthorPosts makes the four reads that its comment promises', async () => {
    reads = 0;
    await run('AuthorPosts');
    expect(reads).toBe(4);
  });

  it('the first one works in every workspace', async () => {
    const { key } = await gateway.workspace();
    const example = exampleOf('WhoAmI');
    const { errors } = await graphql(gateway.address, key, await exampleOperation(example), example.variables);
    expect(errors).toEqual([]);
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
      'No example of GraphiQL shows these fields: write src/graphql/graphiql/examples/<Operation>.graphql with a comment on top, and add it to examples.ts with variables that work in the demo workspace',
    ).toEqual([]);
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
    expect(body.match(/(?:src|href)="[^"]*/g)?.filter((each) => !/"(?:\/graphql\/|data:)/.test(each))).toEqual([]);
  });

  it('serves its files compressed and immutable', async () => {
    const { body } = await get(gateway);
    const files = [...body.matchAll(/"(\/graphql\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path as string);
    expect(files).toHaveLength(3);
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

  it.each([['127.0.0.1'], ['localhost:4000'], ['[::1]:4000'], ['LOCALHOST']])(
    'has the demo key filled in under the name %s',
    async (host) => {
      expect((await get(gateway, { host })).body).toContain(key);
    },
  );

  it.each([
    ['a name that was made to lead here', { host: 'rebound.example:4000' }],
    ['a name that only looks like this machine', { host: 'localhost.example' }],
    ['an address of the network', { host: '192.168.1.20' }],
    ['a proxy', { host: '127.0.0.1', 'x-forwarded-for': '203.0.113.9' }],
  ])('keeps the demo key to itself behind %s', async (_case, headers) => {
    const { status, body } = await get(gateway, headers);
    expect(status).toBe(200);
    expect(body).not.toContain(key);
    expect(body).toContain('X-API-KEY');
  });

  it('never logs the demo key', () => {
    expect(gateway.log.length).toBeGreaterThan(0);
    expect(JSON.stringify(gateway.log)).not.toContain(key);
  });

  it.each([
    ['in production', { DEMO: 'on', NODE_ENV: 'production' }],
    ['when other machines can connect', { DEMO: 'on', HOST: '0.0.0.0' }],
    ['without a demo workspace', { DEMO: 'off' }],
  ])('has no key filled in %s', async (_case, environment) => {
    const other = await startGateway({ environment });
    try {
      const { body, status } = await get(other, { host: 'localhost' });
      expect(status).toBe(200);
      expect(headersPane(body)).toEqual({ 'X-API-KEY': '' });
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

describe.skipIf(!chromium)('in a browser', () => {
  let gateway: Gateway;
  let key: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** What the page asked of anybody else, and what it complained about. */
  const outside: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ environment: { DEMO: 'on' } });
    key = await demoKeyOf(gateway);
    browser = await launcher.launch({
      executablePath: chromium as string,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    context = await browser.newContext({ viewport: { width: 1500, height: 900 } });
    context.on('request', (sent) => {
      if (!/^(data|blob):/.test(sent.url()) && new URL(sent.url()).origin !== gateway.address) outside.push(sent.url());
    });
    page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${gateway.address}/graphql`);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  /** Opens a tab that is not open, and waits until GraphiQL has read it: what is run before is the tab before. */
  async function openTab(name: Name): Promise<void> {
    await page.locator(`.graphiql-tab-button[title="${name}"]`).click();
    await expect
      .poll(() => page.evaluate(() => globalThis.localStorage['postern:graphiql:query']), { timeout: 10_000 })
      .toContain(` ${name}`);
  }

  /** What is in view of the answer. Monaco writes spaces as no-break spaces. */
  const answer = async () => (await page.locator('.result-window .view-lines').innerText()).replaceAll('\u00a0', ' ');

  /** Presses the button and waits for an answer that holds this text. */
  async function runAndSee(text: string): Promise<void> {
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(answer, { timeout: 10_000 }).toContain(text);
  }

  it('shows a tab for every example, and the demo key in the headers', async () => {
    expect(await page.title()).toBe('Postern');
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(examples.map(({ name }) => name));
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await expect.poll(() => page.locator('.graphiql-editor-tool').innerText()).toContain(key);
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
  });

  it('runs the first example', async () => {
    await runAndSee('"Demo"');
  });

  it('publishes a draft through a checkpoint', async () => {
    await openTab('PublishWithOtp');
    await runAndSee('"PnetJobPostingPublishCheckpoint"');
    expect(await answer()).toContain('invalid_checkpoint_solution');
  });

  it('creates a webhook', async () => {
    await openTab('CreateWebhook');
    await runAndSee('"WebhookCreated"');
  });

  it('explains the schema', async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const docs = page.locator('.graphiql-doc-explorer');
    await docs.getByText('Query', { exact: true }).click();
    await expect.poll(() => docs.innerText()).toContain('The API key that made the request.');
  });

  it('completes fields, and marks errors', async () => {
    await page.getByRole('button', { name: /new tab/i }).click();
    await page.locator('.graphiql-query-editor .view-lines').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('query Typed { vie');
    await expect.poll(() => page.locator('.suggest-widget').innerText()).toContain('viewer');
    await page.keyboard.press('Escape');
    await page.keyboard.type(' }');
    await page.locator('.graphiql-query-editor .squiggly-error').first().waitFor();
  });

  it('stores the tabs, but no key', async () => {
    const stored = await page.evaluate(() => JSON.stringify(globalThis.localStorage));
    expect(stored).toContain('WhoAmI');
    expect(stored).not.toContain(key);
  });

  it('restores its state after a reload, with no operation in the URL', async () => {
    expect(page.url()).toBe(`${gateway.address}/graphql`);
    await page.reload();
    await openTab('Webhooks');
    await runAndSee('"webhooks": {');
  });

  it('requested nothing from other origins, and logged no error', () => {
    expect(outside).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

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

/** Initial text of the headers pane. */
function headersPane(body: string): unknown {
  const [, data] = /<script type="application\/json" id="graphiql">(.*?)<\/script>/s.exec(body) ?? [];
  return JSON.parse(JSON.parse(data ?? '').headers);
}
