/** `examples/access-token`: a page that asks a gateway of another origin itself, in Chromium, while its tokens expire. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startFronting } from '../support/fronting.ts';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';
import { freePort } from '../support/reverse-proxy.ts';
import { chromium } from '../support/servers.ts';
import { again, runExample, type Server, serveExample } from './example.ts';
import { inaccessible, launch, openTab } from './page.ts';

const example = 'access-token';
const minute = 60_000;

test('is of the types of its packages', async () => {
  expect(await runExample(example, 'typecheck', {})).toBe('');
});

describe.skipIf(!chromium)('a page with an access token', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  let site: Server;
  let browser: Browser;
  let accountId: string;
  beforeAll(async () => {
    const port = await freePort();
    gateway = await startGateway({ environment: { CORS_ORIGINS: `http://127.0.0.1:${port}` } });
    workspace = await gateway.workspace();
    accountId = await workspace.account({ name: 'Grace' });
    const environment = { POSTERN_URL: gateway.address, POSTERN_KEY: workspace.key };
    [site, browser] = await Promise.all([serveExample(example, 'start', { ...environment, ...again }, port), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
    await gateway?.close();
  });

  const setStatus = (status: string) =>
    gateway.app.database.updateTable('accounts').set({ status }).where('id', '=', accountId).execute();

  test('reads, and stays live, with the next token whenever one expires', async () => {
    const { page, complaints } = await openTab(await browser.newContext(), site.address);
    const text = (selector: string) => expect.poll(() => page.locator(selector).innerText(), { timeout: minute });
    let tokens = 0;
    let refused = 0;
    page.on('response', (response) => {
      if (response.url().endsWith('/access-token')) tokens += 1;
      if (response.status() === 401) refused += 1;
    });
    await text('#live').toBe('Live');
    await text('#accounts').toBe('Grace: OK');
    await setStatus('CREDENTIALS');
    await text('#accounts').toBe('Grace: CREDENTIALS');

    const before = tokens;
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 16 * minute);
    await page.getByRole('button', { name: 'Read again' }).click();
    await expect.poll(() => tokens, { timeout: minute }).toBeGreaterThan(before);
    // The WebSocket was closed with the token that it had, and watches with the next one.
    await setStatus('OK');
    await text('#accounts').toBe('Grace: OK');
    await text('#live').toBe('Live');
    await text('#trouble').toBe('');
    expect(refused).toBeLessThanOrEqual(2);
    expect(await inaccessible(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('shows the messages that are kept, and each that comes, also what came without a connection', async () => {
    const receive = (message: string) =>
      gateway.app.ports.deliveries.emit(requestContext(workspace.workspaceId), {
        account_id: accountId,
        event: 'message_received',
        data: { message, sender: { name: 'Jo' } },
      });
    await receive('first');
    const { page, complaints } = await openTab(await browser.newContext(), site.address);
    const shows = (expected: readonly string[]) =>
      expect.poll(() => page.locator('#messages li').allInnerTexts(), { timeout: minute }).toEqual(expected);
    await shows(['Jo to Grace: first']);
    await expect.poll(() => page.locator('#live').innerText(), { timeout: minute }).toBe('Live');
    await receive('second');
    await shows(['Jo to Grace: second', 'Jo to Grace: first']);
    // Closes the WebSocket.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 16 * minute);
    await receive('third');
    await shows(['Jo to Grace: third', 'Jo to Grace: second', 'Jo to Grace: first']);
    expect(complaints).toEqual([]);
  });

  test('in front of a service, shows the messages and the accounts that the service tells of', async () => {
    const port = await freePort();
    const fronting = await startFronting({ CORS_ORIGINS: `http://127.0.0.1:${port}` });
    onTestFinished(() => fronting.close());
    const { key } = await fronting.front.workspace();
    const environment = { POSTERN_URL: fronting.front.address, POSTERN_KEY: key, ...again };
    const fronted = await serveExample(example, 'start', environment, port);
    onTestFinished(() => fronted.stop());
    const { page, complaints } = await openTab(await browser.newContext(), fronted.address);
    const text = (selector: string) => expect.poll(() => page.locator(selector).innerText(), { timeout: minute });
    await text('#live').toBe('Live');
    await text('#accounts').toBe('');
    const from = async (
      account_id: string,
      event: 'message_received' | 'credentials',
      data: Record<string, unknown> = {},
    ) =>
      fronting.service.app.ports.deliveries.emit(requestContext(fronting.space.workspaceId), {
        account_id,
        event,
        data,
      });
    const heard = await fronting.space.account({ type: 'CHATAPP' });
    await from(heard, 'message_received', { message: 'first', sender: { name: 'Jo' } });
    await text('#messages').toBe(`Jo to ${heard}: first`);
    await text('#accounts').toBe(`${heard}: UNRECOGNIZED`);
    await from(heard, 'credentials');
    await text('#accounts').toBe(`${heard}: CREDENTIALS`);
    await text('#trouble').toBe('');
    expect(complaints).toEqual([]);
  });

  test('goes live by itself although there was no token when it opened', async () => {
    const context = await browser.newContext();
    await context.route('**/access-token', (route) => route.fulfill({ status: 503 }));
    const { page, complaints } = await openTab(context, site.address);
    const text = (selector: string) => expect.poll(() => page.locator(selector).innerText(), { timeout: minute });
    await text('#trouble').toContain('The accounts could not be read. No access token: 503');
    await context.unroute('**/access-token');
    await text('#live').toBe('Live');
    await text('#trouble').toBe('');
    await setStatus('STOPPED');
    await text('#accounts').toBe('Grace: STOPPED');
    expect(complaints).toEqual([]);
  });

  test('the server says what to set on a gateway that refuses the page', async () => {
    expect(site.written()).not.toContain('CORS_ORIGINS');
    const closed = await startGateway();
    onTestFinished(() => closed.close());
    const refused = await serveExample(example, 'start', { POSTERN_URL: closed.address, ...again });
    onTestFinished(() => refused.stop());
    await expect.poll(refused.written, { timeout: minute }).toContain(`CORS_ORIGINS=${refused.address}`);
  });

  test('no script has the key, and no other page gets a token', async () => {
    for (const path of ['/', '/src/main.ts'])
      expect(await (await fetch(site.address + path)).text()).not.toContain(workspace.key);
    const ask = (origin: string) => fetch(`${site.address}/access-token`, { method: 'POST', headers: { origin } });
    expect((await ask(site.address)).status).toBe(200);
    expect((await ask('https://evil.example')).status).toBe(403);
  });
});
