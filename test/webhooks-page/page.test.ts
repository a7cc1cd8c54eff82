/** The page of webhooks: how it is served, and in a browser with a real receiver that fails and then works. */
import { parse, validate } from 'graphql';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { schema } from '../../src/capabilities/schema.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
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
    ['in front of a service', { UPSTREAM_URL: 'http://127.0.0.1:1' }],
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

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const see = (text: string | RegExp) => page.getByText(text).first().waitFor({ timeout: 10_000 });

  it('shows a failure, replays it by the button, and shows it succeed without a reload', async () => {
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
    expect(await page.locator('.tiles').first().innerText()).toContain('Success rate\n0 %');

    receiver.answer = (_request, response) => void response.end();
    await button(/^Replay New relation/).focus();
    await page.keyboard.press('Enter');
    await see('The delivery is sent again.');
    // By the subscription: nobody touches the page, and it polls every half minute only.
    await page.getByText('Nothing failed, is held or waits. All is well.').waitFor({ timeout: 10_000 });
    await button('All').click();
    await see('Succeeded');
    await see('HTTP 200');

    failWith(503);
    await gateway.emit(2);
    await button('Needs attention').click();
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
    await button('Disable').waitFor();
    await button('Send a test event').click();
    await button('All').click();
    await see('Succeeded');
    await button('Disable').click();
    await see('by a request to the API');
    await button('Enable').click();
    await button('Turn on notices').click();
    await see('Gets a notice when the gateway disables another webhook.');
    await button('Turn off notices').waitFor();
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
    expect(await button('Disable').count()).toBe(0);
    expect(await page.content()).not.toContain('/hidden');

    await button('Forget key').click();
    await page.getByLabel('API key').fill(await gateway.space.newKey({ scopes: ['webhooks:read'] }));
    await button('Show my webhooks').click();
    await see('it lacks the scope webhooks:write');
    expect(await button('Disable').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('asks for another key when a key is refused', async () => {
    await enter('wrong');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/key/i);
    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({});
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
