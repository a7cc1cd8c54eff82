/** Apollo Client, urql and Relay over one WebSocket in a browser, on a page of another origin, with access tokens. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, type Page as BrowserPage, chromium as launcher } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { chromium } from '../support/servers.ts';
import type { ClientName, Page } from './websocket-page/page.ts';

declare global {
  var openPage: (address: string) => Page;
  var page: Page;
}

const clientNames = ['Apollo', 'urql', 'Relay'] as const satisfies ClientName[];

async function bundle(): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, 'websocket-page/page.ts'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"', __DEV__: 'false' } },
  });
  const { output } = await build.generate({ format: 'iife' });
  await build.close();
  return output[0].code;
}

describe.skipIf(!chromium)('a page over one WebSocket', () => {
  let script = '';
  const site = createServer(async (request, response) => {
    if (request.url === '/access-token') return response.end(JSON.stringify({ token: await nextToken() }));
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><script src="/page.js"></script>');
  });
  let gateway: Gateway;
  let workspace: TestWorkspace;
  let browser: Browser;
  let tab: BrowserPage;
  let origin = '';
  let tokens = 0;
  /** As the server of an app gives them out, which knows its users. */
  async function nextToken(): Promise<string> {
    tokens += 1;
    const input = `{ scopes: [ACCOUNTS_READ], expiresIn: 60, origins: ["${origin}"] }`;
    const create = `mutation { createAccessToken(input: ${input}) { ... on AccessTokenCreated { token } } }`;
    return (await graphql(gateway.address, workspace.key, create)).data.createAccessToken.token;
  }

  beforeAll(async () => {
    script = await bundle();
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    gateway = await startGateway({ environment: { CORS_ORIGINS: origin } });
    workspace = await gateway.workspace();
    browser = await launcher.launch({
      executablePath: chromium as string,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    });
    tab = await (await browser.newContext()).newPage();
    await tab.goto(origin);
    await tab.evaluate((address) => {
      globalThis.page = globalThis.openPage(address);
    }, gateway.address);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    site.close();
  });

  const seen = () => tab.evaluate(() => ({ ...globalThis.page, watch: null, name: null, names: null }));
  const statuses = async () => (await seen()).statuses;
  const setStatus = (status: string) =>
    gateway.app.database
      .updateTable('accounts')
      .set({ status })
      .where('workspace_id', '=', workspace.workspaceId)
      .execute();

  test('watches with Apollo, urql and Relay, more than six times, and queries meanwhile', async () => {
    const accountId = await workspace.account();
    for (const name of [...clientNames, ...clientNames, ...clientNames]) {
      await tab.evaluate(([client, id]) => globalThis.page.watch(client, id), [name, accountId] as const);
    }
    await expect.poll(statuses).toEqual(Array(9).fill('OK'));
    expect(await tab.evaluate(() => globalThis.page.name())).toBe('test');
    expect(gateway.app.streams.count('socket')).toBe(1);
    await setStatus('CREDENTIALS');
    await expect.poll(statuses).toEqual([...Array(9).fill('OK'), ...Array(9).fill('CREDENTIALS')]);
  });

  test('goes on with the next token when one expires', async () => {
    const before = tokens;
    const told = (await statuses()).length;
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 61_000);
    await expect.poll(async () => (await statuses()).length).toBe(told + 9);
    expect(tokens).toBe(before + 1);
    expect(await seen()).toMatchObject({ closes: [4403], ended: [] });
    await setStatus('OK');
    await expect.poll(async () => (await statuses()).slice(told + 9)).toEqual(Array(9).fill('OK'));
  });

  test('sends requests with the next token when one expires, which all of them share', async () => {
    const ask = () => tab.evaluate(() => globalThis.page.names(3));
    expect(await ask()).toEqual(Array(3).fill('test'));
    const before = tokens;
    expect(await ask()).toEqual(Array(3).fill('test'));
    expect(tokens).toBe(before);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 61_000);
    expect(await ask()).toEqual(Array(3).fill('test'));
    // One for the requests, and one for the WebSocket, unless it is still closing.
    expect(tokens - before).toBeGreaterThan(0);
    expect(tokens - before).toBeLessThanOrEqual(2);
  });

  test('of an origin that is not allowed gets no WebSocket', async () => {
    const other = await (await browser.newContext()).newPage();
    await other.goto(origin.replace('127.0.0.1', 'localhost'));
    const code = await other.evaluate(
      (address) =>
        new Promise<number>((resolve) => {
          const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
          socket.onclose = (event) => resolve(event.code);
        }),
      gateway.address,
    );
    expect(code).toBe(1006);
  });
});
