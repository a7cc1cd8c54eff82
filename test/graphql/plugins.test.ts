/** Plugins of Yoga's ecosystem beside the pipeline. */
import type { Plugin } from 'graphql-yoga';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const query = '{ viewer { name } }';
const create = `mutation { createWebhook(input: { requestUrl: "https://hooks.example", source: USERS }) { __typename } }`;

async function served(...plugins: Plugin[]) {
  const gateway = await startGateway({ plugins });
  const { key } = await gateway.workspace();
  const ask = (text: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
      body: JSON.stringify({ query: text }),
    });
  return { ...gateway, ask, [Symbol.asyncDispose]: gateway.close };
}

test('one sees requests and responses, with the body as it was limited', async () => {
  const seen: unknown[] = [];
  await using gateway = await served({
    async onRequest({ request }) {
      seen.push(
        request.method,
        new URL(request.url).pathname,
        request.headers.get('x-of-client'),
        await request.json(),
      );
    },
    onResponse: ({ response }) => response.headers.set('x-of-plugin', String(response.status)),
  });
  const response = await gateway.ask(query, { 'x-of-client': 'yes' });
  expect(await response.json()).toEqual({ data: { viewer: { name: 'test' } } });
  expect(response.headers.get('x-of-plugin')).toBe('200');
  expect(response.headers.get('x-request-id')).not.toBeNull();
  expect(seen).toEqual(['POST', '/graphql', 'yes', { query }]);
});

test('each cookie that one sets is a header', async () => {
  await using gateway = await served({
    onResponse({ response: { headers } }) {
      headers.append('set-cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT');
      headers.append('set-cookie', 'b=2');
    },
  });
  for (const accept of ['application/json', 'text/event-stream']) {
    const response = await gateway.ask(query, { accept });
    await response.text();
    expect(response.headers.getSetCookie()).toEqual(['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2']);
  }
});

test('one refuses before anything is executed', async () => {
  await using gateway = await served({
    onRequest: ({ endResponse, fetchAPI }) => endResponse(new fetchAPI.Response('closed', { status: 403 })),
  });
  const response = await gateway.ask(create);
  expect([response.status, await response.text()]).toEqual([403, 'closed']);
  expect(await gateway.app.database.selectFrom('webhooks').select('id').execute()).toEqual([]);
});

test.each(['application/json', 'application/graphql-response+json', 'text/event-stream'])(
  'one that looks at operations sees each, once it has passed the gates: %s',
  async (accept) => {
    const names: string[] = [];
    await using gateway = await served({
      onParams: ({ params }) => void names.push(`params ${params.query}`),
      onExecute: ({ args }) => {
        names.push(`execute ${args.document.definitions.length}`);
        return { onExecuteDone: ({ result }) => void names.push(`done ${'data' in result}`) };
      },
    });
    const body = async (response: Response) => (await response.text()).replace(/^[^{]*|[^}]*$/g, '');
    expect(await body(await gateway.ask(query, { accept }))).toBe('{"data":{"viewer":{"name":"test"}}}');
    expect(names).toEqual([`params ${query}`, 'execute 1', 'done true']);
    const refused = JSON.parse(await body(await gateway.ask(query, { accept, 'x-api-key': 'wrong' })));
    expect(refused.errors[0].extensions.code).toBe('INVALID_CREDENTIALS');
    const invalid = await gateway.ask('{ nothing }', { accept });
    expect(invalid.status).toBe(accept === 'application/graphql-response+json' ? 400 : 200);
    expect(JSON.parse(await body(invalid)).errors[0].extensions.code).toBe('INVALID_PARAMETERS');
    expect(names.filter((name) => name.startsWith('execute'))).toHaveLength(1);
  },
);

test.each([
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/json', 'application/json'],
  ['text/csv', 'application/json'],
])(
  'a subscription of a client that accepts no stream is refused in its JSON, with one or without: %s',
  async (accept, type) => {
    for (const plugins of [[], [{ onParams: () => undefined }]]) {
      await using gateway = await served(...plugins);
      const response = await gateway.ask('subscription { accountUpdated(accountIds: ["a"]) { name } }', { accept });
      expect([response.status, response.headers.get('content-type')]).toEqual([406, `${type}; charset=utf-8`]);
    }
  },
);

test.each(['onRequest', 'onParams', 'onExecute', 'onResponse'])(
  'what %s throws is masked, and logged',
  async (hook) => {
    await using gateway = await served({
      [hook]() {
        throw new TypeError('secret-detail of a plugin');
      },
    });
    const response = await gateway.ask(query);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).toContain('UNEXPECTED_ERROR');
    expect(text).not.toMatch(/secret-detail|TypeError|\.ts/);
    expect(JSON.stringify(gateway.log)).toContain('secret-detail');
  },
);

test('a response on its way is whole, although the gateway stops meanwhile', async () => {
  let stop: () => Promise<void> = async () => {};
  const stopped: Promise<void>[] = [];
  const gateway = await served({
    async onExecute() {
      stopped.push(stop());
      await new Promise((resolve) => setTimeout(resolve, 100));
    },
  });
  stop = () => gateway.close();
  const response = await gateway.ask(query);
  expect(await response.json()).toEqual({ data: { viewer: { name: 'test' } } });
  await Promise.all(stopped);
});
