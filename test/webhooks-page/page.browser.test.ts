/** The page of webhooks: how it is served, and in a browser with a real receiver that fails and then works. */
import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { AxeResults } from 'axe-core';
import { parse, validate } from 'graphql';
import { type Browser, type BrowserContext, chromium as launcher, type Page, type Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { startRefusing } from '../support/fronting.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { schema } from '../support/schema.ts';
import { chromium } from '../support/servers.ts';
import { lowContrast } from './contrast.ts';

const [sqlite] = databases;

it('sends operations that the schema has', async () => {
  // @ts-expect-error: a module of the browser has no types
  const queries: Record<string, string> = await import('../../src/pages/webhooks/browser/queries.js');
  expect(Object.keys(queries).length).toBeGreaterThan(5);
  for (const [name, text] of Object.entries(queries)) expect(validate(schema, parse(text)), name).toEqual([]);
});

describe('how it is served', () => {
  it('is one page with files of its own, that no other site may frame, and nothing may turn text into markup', async () => {
    const gateway = await startGateway();
    try {
      const response = await fetch(`${gateway.address}/webhooks`);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const policy = response.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain('unsafe');
      const text = await response.text();
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style=|\{\{/);
      const files = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address = '']) => address);
      expect(files.filter((address) => !/^(?:\/|data:)/.test(address))).toEqual([]);
      const script = await fetch(`${gateway.address}${files.find((address) => address.endsWith('.js'))}`);
      expect(script.headers.get('cache-control')).toContain('immutable');
      expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      const page = await (await fetch(`${gateway.address}/graphql`, { headers: { accept: 'text/html' } })).text();
      expect(page).toContain('<a href="/webhooks">');
    } finally {
      await gateway.close();
    }
  });

  it.each([
    ['where it is switched off', { WEBHOOKS_PAGE: 'off' }],
    ['in proxy mode', { UPSTREAM_URL: 'http://127.0.0.1:1' }],
  ])('is not there %s, and GraphiQL does not link to it', async (_case, environment) => {
    const gateway = await startGateway({ environment });
    try {
      expect((await fetch(`${gateway.address}/webhooks`)).status).toBe(404);
      const page = await (await fetch(`${gateway.address}/graphql`, { headers: { accept: 'text/html' } })).text();
      expect(page).not.toContain('<a href="/webhooks">');
    } finally {
      await gateway.close();
    }
  });
});

describe.skipIf(!chromium)('in a browser', () => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const outside: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    if (sqlite === undefined) throw new Error('No database');
    [gateway, receiver] = await Promise.all([startDelivering({ dialect: sqlite }), startReceiver()]);
    browser = await launcher.launch({
      executablePath: chromium as string,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([gateway?.close(), receiver?.close()]);
  });
  beforeEach(async () => {
    await context?.close();
    await gateway.app.database.deleteFrom('webhooks').execute();
    await gateway.app.database.deleteFrom('workspace_statistics').execute();
    receiver.answer = (_request, response) => void response.end();
    outside.length = 0;
    complaints.length = 0;
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    context.on('request', (sent) => {
      if (!/^(data|blob):/.test(sent.url()) && new URL(sent.url()).origin !== gateway.address) outside.push(sent.url());
    });
    page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
  });

  const failWith = (status: number) => {
    receiver.answer = (_request, response) => void response.writeHead(status).end('x-secret: body');
  };

  async function enter(key = gateway.space.key): Promise<void> {
    await page.goto(`${gateway.address}/webhooks`);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
  }

  async function forgetKey(): Promise<void> {
    await page.locator('#bar-key').click();
    await button('Forget the key').click();
  }

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const choice = (group: string) => (name: string) =>
    page.getByRole('group', { name: group }).getByRole('button', { name, exact: true });
  const shownWebhooks = choice('Which webhooks');
  const filter = (name: string) => page.getByLabel(name, { exact: true });
  /** Chooses which deliveries are listed. */
  const showDeliveries = (state: string) => filter('State').selectOption({ label: state });
  const menu = async (name: string) => {
    await button('More').click();
    await button(name).click();
  };
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor();

  it('shows a failure, redelivers it by the button, and shows it succeed without a reload', async () => {
    const webhookId = await gateway.webhook(`${receiver.address}/path-secret?token=query-secret`, { name: 'CRM' });
    failWith(500);
    await gateway.emit(1);
    await gateway.pass(0);
    for (const wait of [10, 100, 400, 2_400, 9_000, 27_000, 54_000, 110_000, 130_000]) await gateway.pass(wait * 1_000);
    const [failed] = await gateway.deliveries();
    expect(failed?.state).toBe('failed');
    await enter();
    await page.getByText('Live', { exact: true }).waitFor();
    await see('HTTP 500');
    await see('10 attempts');
    expect(await page.locator('.tile').first().innerText()).toBe('Success rate\n0 %\n1 of 1 attempt failed');

    receiver.answer = (_request, response) => void response.end();
    await button(/^Retry New relation/).focus();
    await page.keyboard.press('Enter');
    await see('The delivery is sent again.');
    // By the subscription: nobody touches the page.
    await page.getByText('Nothing failed, is held or waits. All is well.').waitFor();
    await showDeliveries('All states');
    await page.locator('.delivery').getByText('Succeeded', { exact: true }).first().waitFor();
    await see('HTTP 200');

    failWith(503);
    await gateway.emit(2);
    await showDeliveries('Needs attention');
    await see('HTTP 503');
    const { data } = await page.evaluate(() => ({ data: document.documentElement.outerHTML }));
    expect(data).not.toContain('x-secret');
    // The whole address is folded away, but not hidden from the owner.
    expect(await page.getByText('query-secret').isVisible()).toBe(false);
    await page.locator('summary', { hasText: receiver.address }).click();
    expect(await page.getByText('query-secret').isVisible()).toBe(true);
    expect(webhookId).toHaveLength(22);
    expect([outside, complaints]).toEqual([[], []]);
  });

  it('says which events the service does not send, and where to see why', async () => {
    const front = await startGateway({
      environment: {
        UPSTREAM_URL: await startRefusing(),
        UPSTREAM_API_KEY: 'key-of-the-service',
        WEBHOOKS: 'own',
        PUBLIC_URL: 'https://gateway.example',
        INTAKE_EVENTS: 'message_received,mail_sent',
      },
    });
    try {
      await page.goto(`${front.address}/webhooks`);
      await page.getByLabel('API key').fill((await front.workspace()).key);
      await page.keyboard.press('Enter');
      const sentence = 'The service does not send these events: message received, mail sent.';
      const cure = 'The operator of the gateway sees why with npm run intake -- sync.';
      await see(`${sentence} ${cure}`);
      expect(complaints).toEqual([]);
    } finally {
      await front.close();
    }
  });

  const tileTexts = async () =>
    Object.fromEntries(
      (await page.locator('.tiles').first().locator('.tile').allInnerTexts()).map((text) =>
        text.split('\n').slice(0, 2),
      ),
    );

  it('tells the truth of 209 webhooks of which the newest fails, and lists that one first', async () => {
    const other = await gateway.space.account();
    const away = { account_ids: JSON.stringify([other]) };
    for (let n = 1; n < 209; n += 1) {
      gateway.clock.now = new Date(gateway.clock.now.getTime() + 1);
      await gateway.webhook(receiver.address, { name: `Quiet ${n}`, ...away });
    }
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 1);
    await gateway.webhook(`${receiver.address}/newest`, { name: 'Newest' });
    failWith(500);
    await gateway.emit(1);
    for (const wait of [0, 10, 100, 400]) await gateway.pass(wait * 1_000);
    await enter();
    await see('Newest');
    expect(await tileTexts()).toMatchObject({
      Webhooks: '209',
      Failing: '1',
      'Success rate': '0 %',
      Waiting: '1',
    });
    const names = page.locator('.webhook .name strong');
    expect((await names.allInnerTexts()).slice(0, 2)).toEqual(['Newest', 'Quiet 1']);
    await see(/^4 attempts in a row failed, since /);

    // It recovers, and keeps its place while one looks.
    receiver.answer = (_request, response) => void response.end();
    await page.getByRole('link', { name: /Quiet 7\b/ }).click();
    await gateway.pass(2_400_000);
    await expect.poll(async () => (await tileTexts()).Failing).toBe('0');
    expect((await names.allInnerTexts()).slice(0, 2)).toEqual(['Newest', 'Quiet 1']);
    // All of them can be listed.
    for (let listed = 0; listed < 209; listed = await names.count()) {
      if (listed > 0) await button('Show more webhooks').click();
      await expect.poll(() => names.count()).toBeGreaterThan(listed);
    }
    expect(await names.count()).toBe(209);
    expect(new Set(await names.allInnerTexts()).size).toBe(209);
    await shownWebhooks('Failing').click();
    await see('No webhook is failing.');
    await shownWebhooks('All').click();
    // Typed with pauses, while the page is shown anew.
    await page.getByLabel('Search by name, address or webhook-id').pressSequentially('quiet 20', { delay: 120 });
    await expect.poll(() => names.count()).toBe(10);
    expect((await names.allInnerTexts()).every((name) => name.startsWith('Quiet 20'))).toBe(true);
    await page.getByLabel('Search by name, address or webhook-id').fill('/NEWEST');
    await expect.poll(() => names.allInnerTexts()).toEqual(['Newest']);
    await page.getByLabel('Search by name, address or webhook-id').fill('quiet 20');
    expect(await page.getByLabel('Search by name, address or webhook-id').inputValue()).toBe('quiet 20');
    await page.getByLabel('Search by name, address or webhook-id').fill('nothing like it');
    await see('No webhook has “nothing like it” in its name or address, and no delivery as its webhook-id.');
    expect(complaints).toEqual([]);
  });

  it('shows the request of each attempt to the byte, its signature by the secret, and the response', async () => {
    const value = 'it’s "odd" & 12345678901234567890.50';
    const data = { user_full_name: value, user_profile_url: 'https://example.com/?a=1&b=%20' };
    const mapping = JSON.stringify([
      { name: 'who', key: 'user_full_name' },
      { name: 'account', key: 'account_id' },
      { name: 'type', key: 'account_type' },
      { name: 'hook', key: 'webhook_name' },
      { name: 'page', key: 'user_profile_url' },
    ]);
    const own = { source: 'users', events: '["new_relation"]', data: mapping } as const;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const format of ['json', 'form'] as const) {
      await gateway.app.database.deleteFrom('webhooks').execute();
      const webhookId = await gateway.webhook(`${receiver.address}/path?key=1`, { ...own, format, name: 'It’s' });
      failWith(404);
      receiver.received.length = 0;
      await gateway.delivery.emit({
        workspaceId: gateway.space.workspaceId,
        accountId: gateway.accountId,
        accountType: 'PNET',
        source: 'users',
        event: 'new_relation',
        data,
      });
      await gateway.pass(0);
      await gateway.pass(12_000);
      if (format === 'json') await enter();
      else await page.goto(`${gateway.address}/webhooks`);
      await page.goto(`${gateway.address}/webhooks#${webhookId}`);
      await page.locator('.delivery .opens').click();
      const request = page.getByRole('region', { name: 'Request' });
      const response = page.getByRole('region', { name: 'Response' });
      await response.getByText('x-secret: body').waitFor();
      expect(await response.innerText()).toContain('HTTP 404');
      const reveal = `mutation { revealWebhookSecret(input: { webhookId: "${webhookId}" }) { ... on WebhookSecret { secret } } }`;
      const { secret } = (await graphql(gateway.address, gateway.space.key, reveal)).data.revealWebhookSecret;
      await request.getByLabel('To compute webhook-signature here').fill(secret);
      for (const [place, received] of receiver.received.entries()) {
        await page.getByRole('button', { name: `${place + 1}. HTTP 404` }).click();
        await request.getByText('v1,').waitFor();
        await expect.poll(() => request.innerText()).toContain(String(received.headers['webhook-timestamp']));
        await expect.poll(() => request.innerText()).toContain(String(received.headers['webhook-signature']));
        await request.getByRole('button', { name: 'Copy', exact: true }).click();
        await see('The request is copied.');
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        const [head = '', body] = copied.split('\n\n');
        expect(body).toBe(received.body);
        const [first, ...lines] = head.split('\n');
        expect(first).toBe('POST /path?key=1 HTTP/1.1');
        const headers = Object.fromEntries(lines.map((line) => line.split(': ')));
        const { 'content-length': _length, connection: _connection, ...sent } = received.headers;
        expect(headers).toEqual(sent);
      }
      // The command sends the same to whoever runs it.
      await request.getByRole('button', { name: 'Copy as curl' }).click();
      await see('The command is copied.');
      const command = await page.evaluate(() => navigator.clipboard.readText());
      const count = receiver.received.length;
      await promisify(execFile)('/bin/sh', ['-c', `${command} --silent`]);
      expect(receiver.received.length).toBe(count + 1);
      expect(receiver.received.at(-1)?.body).toBe(receiver.received.at(-2)?.body);
      expect(receiver.received.at(-1)?.headers).toMatchObject({ 'user-agent': 'Postern' });
    }
    expect(complaints).toEqual([]);
  });

  it('finds a delivery by the webhook-id that the receiver got, and by its address', async () => {
    const webhookId = await gateway.webhook(receiver.address, { name: 'Searched' });
    await gateway.webhook(receiver.address, { name: 'Other' });
    for (const n of [1, 2, 3]) await gateway.emit(n);
    await gateway.pass(0);
    const sent = (await gateway.deliveries()).filter((each) => each.webhook_id === webhookId);
    const deliveryId = sent[0]?.id as string;
    await enter();
    await see('Nothing failed, is held or waits.');
    await page.getByLabel('Search by name, address or webhook-id').fill(` ${deliveryId} `);
    await expect.poll(() => page.locator('.delivery').count()).toBe(1);
    await see(`${deliveryId} · account`);
    expect(new URL(page.url()).hash).toBe(`#${webhookId}/${deliveryId}`);
    expect(await page.getByRole('heading', { level: 2 }).innerText()).toContain('Searched');
    await page.reload();
    await see(`${deliveryId} · account`);
    expect(await page.locator('.delivery').count()).toBe(1);
    await button('Show all deliveries').click();
    await expect.poll(() => page.locator('.delivery').count()).toBe(3);
    expect(new URL(page.url()).hash).toBe(`#${webhookId}`);
    await page.getByLabel('Search by name, address or webhook-id').fill('x'.repeat(22));
    await see(`No webhook has “${'x'.repeat(22)}” in its name or address, `);
    await see('and no delivery as its webhook-id.');
    expect(complaints).toEqual([]);
  });

  it('says what came of a test event and of a retry, and leads to the delivery', async () => {
    const webhookId = await gateway.webhook(receiver.address, { name: 'Tested' });
    failWith(500);
    await enter();
    await see('All is well.');
    await button('Send a test event').click();
    await see('The test event is on its way …');
    await expect.poll(async () => (await gateway.deliveries()).length).toBe(1);
    await gateway.pass(0);
    await see(/^It failed: HTTP 500 after .+ It is tried again\./);
    const link = page.getByRole('link', { name: 'Show the delivery' });
    const [delivery] = await gateway.deliveries();
    expect(await link.getAttribute('href')).toBe(`#${webhookId}/${delivery?.id}`);
    await link.click();
    await see(`${delivery?.id} · account`);
    expect(await link.count()).toBe(0);

    receiver.answer = (_request, response) => void response.end();
    await button(/^Send now/).click();
    await see('The delivery is sent now.');
    await link.click();
    await page.locator('.delivery').getByText('Succeeded', { exact: true }).waitFor();
    await button('Show all deliveries').click();
    await button('Send a test event').click();
    await expect.poll(async () => (await gateway.deliveries()).length).toBe(2);
    await gateway.pass(0);
    await see(/^It works: HTTP 200 after /);

    failWith(410);
    await button('Send a test event').click();
    await expect.poll(async () => (await gateway.deliveries()).length).toBe(3);
    await gateway.pass(0);
    await see(/^It failed: HTTP 410 after [^.]+\.(?! It)/);
    expect(complaints).toEqual([]);
  });

  it('shows no request that the key may not see', async () => {
    await gateway.webhook(`${receiver.address}/hidden`, { name: 'Shared' });
    failWith(500);
    await gateway.emit(1);
    await gateway.pass(0);
    await enter(await gateway.space.newKey({ accountIds: [gateway.accountId], scopes: ['webhooks:read'] }));
    await page.locator('.delivery .opens').click();
    const request = page.getByRole('region', { name: 'Request' });
    await request.waitFor();
    expect(await request.innerText()).toContain('POST /********');
    expect(await request.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Response' }).innerText()).toContain(
      'Your key may not see the body.',
    );
    expect(await page.content()).not.toContain('/hidden');
    expect(await page.content()).not.toContain('x-secret');
    expect(complaints).toEqual([]);
  });

  it('filters deliveries by state, response, event and time, and sends many again at once', async () => {
    await gateway.webhook(receiver.address, { name: 'CRM', events: '["new_relation"]' });
    const rows = page.locator('.delivery');
    const responses: Record<string, number> = { first: 200, second: 404, third: 503 };
    receiver.answer = ({ body }, response) => void response.writeHead(responses[JSON.parse(body).n] ?? 500).end();
    for (const name of ['first', 'second', 'third']) {
      await gateway.emit(name);
      await gateway.pass(0);
      // Whoever answers with 503 is paused for a moment.
      await gateway.pass(1_000);
    }
    await enter();
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await filter('Response').selectOption('4xx');
    await expect.poll(() => rows.locator('.outcome').allInnerTexts()).toEqual(['HTTP 404']);
    await filter('Response').selectOption('503');
    await expect.poll(() => rows.locator('.outcome').allInnerTexts()).toEqual(['HTTP 503']);
    await filter('Response').selectOption({ label: 'No response' });
    await see('No delivery fits the filter.');
    await filter('Response').selectOption({ label: 'Any response' });
    await showDeliveries('Succeeded');
    await expect.poll(() => rows.locator('.outcome').allInnerTexts()).toEqual(['HTTP 200']);
    expect(await button('Retry all').count()).toBe(0);
    await showDeliveries('All states');
    await expect.poll(() => rows.count()).toBe(3);

    // All that are listed, by two keys.
    receiver.answer = (_request, response) => void response.end();
    receiver.received.length = 0;
    await page.getByLabel('Select all').focus();
    await page.keyboard.press('Space');
    await see('3 selected');
    await button('Retry 3').focus();
    await page.keyboard.press('Enter');
    await see('3 deliveries are sent again.');
    await gateway.pass(0);
    await expect.poll(() => receiver.received.length).toBe(3);
    await expect.poll(() => rows.locator('.state .badge').allInnerTexts()).toEqual(Array(3).fill('Succeeded'));
    await see('Select all');
    expect(complaints).toEqual([]);
  });

  it('reads nothing for a page that is idle or hidden, and figures every ten seconds at most', async () => {
    await gateway.webhook(receiver.address, { name: 'Busy' });
    await gateway.emit('first');
    await gateway.pass(0);
    const reads: string[] = [];
    let underWay = 0;
    const nameOf = (sent: Request) => /query (\w+)/.exec(sent.postDataJSON()?.query)?.[1];
    context.on('request', (sent) => {
      const name = nameOf(sent);
      if (name === undefined) return;
      reads.push(name);
      underWay += 1;
    });
    const onEnd = (sent: Request) => {
      if (nameOf(sent) !== undefined) underWay -= 1;
    };
    context.on('requestfinished', onEnd).on('requestfailed', onEnd);
    await page.clock.install();
    await enter();
    await page.getByText('Live', { exact: true }).waitFor();
    await showDeliveries('All states');
    await page.locator('.delivery').getByText('Succeeded', { exact: true }).waitFor();
    // From here on, time passes for the page only as the test says.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const pass = async (ms: number) => {
      await page.clock.runFor(ms);
      // What is read last is the webhook that is shown.
      await expect.poll(() => underWay === 0 && (reads.at(-1) ?? 'WebhookOfPage')).toBe('WebhookOfPage');
    };
    const rows = page.locator('.delivery');
    const rowsAreMoreThan = (count: number) =>
      expect
        .poll(async () => {
          await page.clock.runFor(1);
          return rows.count();
        })
        .toBeGreaterThan(count);
    await pass(0);
    reads.length = 0;
    await pass(50_000);
    expect(reads).toEqual([]);
    for (let n = 0; n < 30; n += 1) {
      await gateway.emit(n);
      await gateway.pass(0);
      await pass(200);
    }
    // By the subscription, row by row.
    await rowsAreMoreThan(15);
    expect(reads).toEqual(['RowsOfPage', 'WebhookOfPage']);
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true }));
    await pass(10_500);
    reads.length = 0;
    const before = await rows.count();
    await gateway.emit('unseen');
    await gateway.pass(0);
    await rowsAreMoreThan(before);
    await pass(120_000);
    expect(reads).toEqual([]);
  });

  /** The gateway answers the next operation of this name at once; the page gets its answer when it is let through. */
  async function holdBack(operation: string) {
    const answered = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let isHeld = false;
    await page.route('**/graphql', async (route) => {
      const { query } = route.request().postDataJSON();
      if (isHeld || !query.includes(`query ${operation}(`)) return route.fallback();
      isHeld = true;
      const response = await route.fetch();
      answered.resolve();
      await released.promise;
      await route.fulfill({ response });
    });
    return { answered: answered.promise, letThrough: () => released.resolve() };
  }

  it('shows what changed while it was reading', async () => {
    const webhookId = await gateway.webhook(receiver.address, { name: 'CRM' });
    failWith(500);
    await gateway.emit(1);
    await gateway.pass(0);
    await enter();
    await page.getByText('Live', { exact: true }).waitFor();
    await see('HTTP 500');
    const rename = `mutation { updateWebhook(input: { webhookId: "${webhookId}", name: "Renamed" }) { __typename } }`;
    expect((await graphql(gateway.address, gateway.space.key, rename)).errors).toEqual([]);
    const { answered, letThrough } = await holdBack('WebhookOfPage');
    await showDeliveries('All states');
    await answered;
    receiver.answer = (_request, response) => void response.end();
    await gateway.pass(12_000);
    const row = page.locator('.delivery');
    await row.getByText('Succeeded', { exact: true }).waitFor();
    letThrough();
    // What was read has the new name, and a delivery that has failed.
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    expect(await row.innerText()).toContain('Succeeded');
    expect(complaints).toEqual([]);
  });

  it('creates a webhook that is changed after a response was lost', async () => {
    await enter();
    await button('Create a webhook').click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Create the webhook' });
    await dialog.getByLabel('Address').fill(`${receiver.address}/lost`);
    await dialog.getByRole('button', { name: 'Next' }).click();
    let isLost = false;
    await page.route('**/graphql', async (route) => {
      if (isLost || !route.request().postData()?.includes('createWebhook')) return route.fallback();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await submit.click();
    await dialog.getByText('The gateway cannot be reached.').waitFor();
    await dialog.getByLabel('Format').selectOption('FORM');
    await submit.click();
    await dialog.getByText('Store it now').waitFor();
    expect(isLost).toBe(true);
  });

  it('creates, edits and deletes a webhook, and replaces its secret', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await enter();
    await see('No webhooks yet');
    await button('Create a webhook').click();
    const dialog = page.getByRole('dialog');
    const next = () => dialog.getByRole('button', { name: 'Next' }).click();
    const submit = dialog.getByRole('button', { name: 'Create the webhook' });
    const stored = () => gateway.app.database.selectFrom('webhooks').selectAll().execute();
    await dialog.getByLabel('Name', { exact: true }).fill('New');
    await dialog.getByLabel('Address').fill('https://user:password@hooks.example/');
    await dialog.getByText('Accounts and headers').click();
    await dialog.getByLabel('Accounts').selectOption({ label: 'Only some' });
    await dialog.getByRole('button', { name: 'Add a header' }).click();
    await dialog.getByLabel('Name of a header').fill('Authorization');
    await dialog.getByLabel('Value of a header').fill('Bearer 1');
    await next();
    await dialog.getByLabel('Source').selectOption('USERS');
    await dialog.getByText('Choose and rename fields').click();
    await dialog.getByLabel('User full name', { exact: true }).uncheck();
    await dialog.getByLabel('Name of account id').fill('account');
    const sample = dialog.getByLabel('Sample payload');
    await expect.poll(() => sample.innerText()).toMatch(/^\{\n {2}"event": "new_relation",\n {2}"account": /);
    expect(await sample.innerText()).not.toContain('user_full_name');
    expect(await sample.innerText()).toContain('"webhook_name": "New"');
    await dialog.getByLabel('Format').selectOption('FORM');
    expect(await sample.innerText()).toMatch(/^event=new_relation&account=/);
    await submit.click();
    // What is wrong is said beside the field, which has the focus, in the step that has it.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('request-url');
    expect(await dialog.locator('#request-url-problem').innerText()).toMatch(/^This is no address/);
    await dialog.getByLabel('Address').fill('http://10.0.0.1/');
    await next();
    await submit.click();
    await dialog.getByText('This address is not public').waitFor();
    expect(await dialog.innerText()).not.toMatch(/[A-Z]{2,}_[A-Z]{2,}/);
    await dialog.getByLabel('Address').fill(`${receiver.address}/new`);
    await dialog.getByLabel('Name of a header').fill('Host');
    await next();
    await submit.click();
    await dialog.getByText('The gateway sets one of these headers itself.').waitFor();
    expect(await stored()).toEqual([]);
    await dialog.getByLabel('Name of a header').fill('Authorization');
    await next();
    await submit.dblclick();
    await dialog.getByText('Store it now').waitFor();
    await page.getByRole('heading', { name: 'New' }).waitFor({ state: 'attached' });
    const [created, ...others] = await stored();
    expect(others).toEqual([]);
    expect(created).toMatchObject({
      name: 'New',
      request_url: `${receiver.address}/new`,
      source: 'users',
      format: 'form',
    });
    expect(created?.account_ids).toContain(gateway.accountId);
    const mapping: { name: string; key: string }[] = JSON.parse(String(created?.data));
    expect(mapping).toContainEqual({ name: 'account', key: 'account_id' });
    expect(mapping.map(({ key }) => key)).not.toContain('user_full_name');
    const emphasised = () => dialog.locator('.primary').allInnerTexts();
    const copiesTheSecret = async () => {
      // It is not shown again: no key closes it before.
      for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
      expect(await emphasised()).toEqual(['Copy the secret']);
      await dialog.getByRole('button', { name: 'Copy the secret' }).click();
      await dialog.getByText('The secret is copied.').waitFor();
      expect(await emphasised()).toEqual(['Done']);
    };
    await copiesTheSecret();
    // The secret that is shown signs what the endpoint receives.
    const first = await dialog.locator('code').innerText();
    receiver.received.length = 0;
    await dialog.getByRole('button', { name: 'Send a test event' }).click();
    await dialog.getByText('It is on its way').waitFor();
    await expect.poll(async () => (await gateway.deliveries()).length).toBe(1);
    await gateway.pass(0);
    await dialog.getByText(/^It works: HTTP 200 after/).waitFor();
    const [tested] = receiver.received;
    const { headers = {}, body = '' } = tested ?? {};
    expect(headers.authorization).toBe('Bearer 1');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const mac = createHmac('sha256', Buffer.from(first.replace('whsec_', ''), 'base64')).update(signed);
    expect(headers['webhook-signature']).toBe(`v1,${mac.digest('base64')}`);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => page.content()).not.toContain(first);

    await menu('Edit');
    await dialog.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('More');

    await menu('Replace the secret');
    await dialog.getByRole('button', { name: 'Replace the secret' }).click();
    await dialog.getByText('Store it now').waitFor();
    const secret = await dialog.locator('code').innerText();
    expect(secret).toMatch(/^whsec_/);
    await copiesTheSecret();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.content()).not.toContain(secret);

    await menu('Delete');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('More');
    await menu('Delete');
    await dialog.getByRole('button', { name: 'Delete the webhook' }).click();
    await see('No webhooks yet');
    expect(await gateway.app.database.selectFrom('webhooks').selectAll().execute()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows that a webhook was disabled and why, and enables it again by a button', async () => {
    await gateway.webhook(receiver.address, { name: 'Warehouse' });
    failWith(410);
    await gateway.emit(1);
    await gateway.pass(0);
    await enter();
    await see(/because its endpoint responded that it no longer exists \(410\)/);
    await see('1 disabled after failures');
    await see('1 attempt');
    expect(await page.getByText('1 attempts').count()).toBe(0);
    receiver.answer = (_request, response) => void response.end();
    await button('Enable').click();
    await see('The webhook is enabled.');
    await button('Send a test event').click();
    await showDeliveries('All states');
    await page.locator('.delivery').getByText('Succeeded', { exact: true }).first().waitFor();
    await menu('Disable');
    await see('by a request to the API');
    await button('Enable').click();
    await menu('Turn on notices');
    await see('Gets a notice when the gateway disables another webhook.');
    await button('More').click();
    await button('Turn off notices').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => button('Turn off notices').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('More');
    expect(complaints).toEqual([]);
  });

  it('says that what is held is sent only by a person, and has a button for that', async () => {
    const webhookId = await gateway.webhook(receiver.address, { name: 'Held', enabled: 0 });
    await gateway.emit(1);
    await gateway.emit(2);
    await gateway.pass(0);
    await enter();
    await page.getByRole('link', { name: /^Held/ }).click();
    await see(
      '2 deliveries are held. What is held is sent only when you retry it, after you have enabled the webhook.',
    );
    const retryHeld = button('Retry all that are held');
    expect(await retryHeld.count()).toBe(0);
    await button('Enable').click();
    await see('2 deliveries are held. What is held is sent only when you retry it.');
    await page.setViewportSize({ width: 320, height: 900 });
    await see('No attempt yet');
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 900 });
    await showDeliveries('Succeeded');
    await see('No delivery fits the filter.');
    await retryHeld.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry all' }).click();
    await see('2 deliveries are sent again.');
    await expect.poll(() => retryHeld.count()).toBe(0);
    await gateway.pass(0);
    const states = (await gateway.deliveries()).map((each) => [each.webhook_id, each.state]);
    expect(states).toEqual(Array(2).fill([webhookId, 'succeeded']));
    expect(complaints).toEqual([]);
  });

  it('shows a key only what it may see, and lets a key act only if it may', async () => {
    const other = await gateway.space.account();
    await gateway.webhook(receiver.address, { name: 'Own', account_ids: JSON.stringify([gateway.accountId]) });
    await gateway.webhook(`${receiver.address}/hidden`, { name: 'Shared' });
    await gateway.webhook(receiver.address, { name: 'Foreign', account_ids: JSON.stringify([other]) });
    await enter(await gateway.space.newKey({ accountIds: [gateway.accountId] }));
    await see('Own');
    const names = page.locator('.webhook .name strong');
    expect((await names.allInnerTexts()).sort()).toEqual(['Own', 'Shared']);
    await page.getByRole('link', { name: /Shared/ }).click();
    await see('This webhook also listens to accounts beyond your key.');
    expect(await button('More').count()).toBe(0);
    expect(await page.content()).not.toContain('/hidden');

    await forgetKey();
    await page.getByLabel('API key').fill(await gateway.space.newKey({ scopes: ['webhooks:read'] }));
    await button('Use this key').click();
    await see('it lacks the scope webhooks:write');
    expect(await button('More').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('asks for another key when a key is refused', async () => {
    await enter('wrong');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/key/i);
    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({});
  });

  it('asks for another key at once when its key is revoked while it is open', async () => {
    await page.addInitScript(() => {
      const states = new Set<string>();
      Object.assign(globalThis, { states });
      const note = () => states.add(document.getElementById('live')?.textContent ?? '');
      new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
    });
    const key = await gateway.space.newKey();
    await gateway.webhook(receiver.address, { name: 'Orders' });
    await enter(key);
    await page.getByText('Live', { exact: true }).waitFor();
    await gateway.app.database
      .updateTable('api_keys')
      .set({ revoked_at: 1 })
      .where('hash', '=', createHash('sha256').update(key).digest('hex'))
      .execute();
    await gateway.app.streams.check();
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor();
    const states = await page.evaluate(() => [...(globalThis as unknown as { states: Set<string> }).states]);
    expect(states).toContain('Live');
    expect(states).not.toContain('Gateway away');
  });

  it('says which scope a key lacks that may not read webhooks', async () => {
    await enter(await gateway.space.newKey({ scopes: ['posts:read'] }));
    await page.getByRole('alert').getByText('lacks the scope webhooks:read').waitFor();
    expect(complaints.filter((text) => !text.startsWith('Failed to load'))).toEqual([]);
  });

  it('shows its list whatever an address names', async () => {
    await gateway.webhook(receiver.address, { name: 'Orders' });
    for (const odd of ['%', '%E0%A4%A', '%00', '"><b>']) {
      await page.goto(`${gateway.address}/webhooks#${odd}`);
      await page.reload();
      if (await page.getByLabel('API key').isVisible()) {
        await page.getByLabel('API key').fill(gateway.space.key);
        await page.keyboard.press('Enter');
      }
      await see('Your key sees no such webhook.');
      await see('Orders');
    }
    expect(complaints).toEqual([]);
  });

  it('says so when there are no webhooks, and when the gateway cannot be reached', async () => {
    await enter();
    await see('No webhooks yet');
    // It leads by the steps of the form, and shows no figures of nothing.
    expect(await page.locator('.guide li').allInnerTexts()).toHaveLength(3);
    expect(await page.locator('.tile').count()).toBe(0);
    await gateway.webhook(receiver.address, { name: 'CRM' });
    await page.reload();
    await see('All is well.');
    await context.route('**/graphql', (route) => route.abort());
    await button('7 days').click();
    await see('The gateway cannot be reached.');
    await context.unroute('**/graphql');
    await button('Try again').click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  it('shows hostile names and addresses as text', async () => {
    const name = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>${'x'.repeat(180)}`;
    await gateway.webhook(`${receiver.address}/<b>"'${'y'.repeat(900)}`, { name });
    await enter();
    await see(name);
    expect(await page.title()).toBe('Webhooks · Postern');
    expect(await page.locator('main img, main script, main b').count()).toBe(0);
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(overflow).toBeLessThanOrEqual(0);
    }
    expect(complaints).toEqual([]);
  });

  it.each([390, 1280])('conforms to WCAG 2.2 A and AA, %s pixels wide', async (width) => {
    await gateway.webhook(receiver.address, { name: 'Orders' });
    await gateway.webhook(receiver.address, { name: 'Off', enabled: 0 });
    await gateway.emit('good');
    await gateway.pass(0);
    failWith(500);
    await gateway.emit('bad');
    await gateway.pass(0);
    await page.setViewportSize({ width, height: 900 });
    await enter();
    await page.getByRole('link', { name: /Orders/ }).click();
    await see('1 attempt failed, retrying.');
    await page.locator('.delivery .opens').first().click();
    await page.locator('.delivery pre').first().waitFor();
    // The policy of the page allows no script but its own: axe comes by the protocol of the browser.
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const found: string[] = [];
    for (const [colorScheme, isOpen] of [
      ['light', false],
      ['dark', false],
      ['light', true],
      ['dark', true],
    ] as const) {
      // Without the moments in between the colours.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (isOpen) await menu('Edit');
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(
        async (): Promise<AxeResults> =>
          (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, {
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
          }),
      );
      expect(passes.length).toBeGreaterThan(10);
      for (const { id, nodes } of violations) found.push(...nodes.map(({ html }) => `${colorScheme}: ${id}: ${html}`));
      await page.keyboard.press('Escape');
    }
    expect(found).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });

  it.each(['light', 'dark'] as const)(
    'has text that stands out by 4.5 : 1 (%s), and works by keyboard',
    async (colorScheme) => {
      await gateway.webhook(receiver.address, { name: 'Failing' });
      await gateway.webhook(receiver.address, { name: 'Off', enabled: 0 });
      failWith(500);
      await gateway.emit(1);
      await gateway.pass(0);
      await page.emulateMedia({ colorScheme });
      await enter();
      await see('HTTP 500');
      expect(await page.evaluate(lowContrast)).toEqual([]);
      // With the keyboard alone: to the second webhook, and its button.
      const reached: string[] = [];
      await page.locator('body').press('Home');
      for (let step = 0; step < 40 && !reached.includes('Enable'); step += 1) {
        await page.keyboard.press('Tab');
        const { text, outlined } = await page.evaluate(() => {
          const element = document.activeElement;
          return {
            text: element?.textContent ?? '',
            outlined: element !== null && getComputedStyle(element).outlineStyle !== 'none',
          };
        });
        expect(outlined, text).toBe(true);
        reached.push(text);
        if (!text.startsWith('Off')) continue;
        await page.keyboard.press('Enter');
        // The heading of what was opened has the focus.
        await page.waitForFunction(() => document.activeElement?.id === 'webhook');
      }
      expect(reached).toContain('Enable');
      expect(await page.evaluate(lowContrast)).toEqual([]);
    },
  );
});
