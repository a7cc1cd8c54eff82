/** What the user of an example for React sees, in good times and in bad ones. Every example has the same page. */
import { existsSync } from 'node:fs';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { graphql } from '../support/gateway.ts';
import { chromium } from '../support/servers.ts';
import { json, pnetPost, postList, proxyTo, startStub } from '../support/stub.ts';
import { again, fileOf, runExample } from './example.ts';
import { inaccessible, launch, openTab, type Site, serveSite, type Tab } from './page.ts';
import { type Postern, startPostern } from './postern.ts';

/** Within which a person finds that something works again by itself: the longest wait, and time for the rest. */
const withinSeconds = { timeout: 30_000 };
/** What receives deliveries, as its path says. */
const receiver = 'https://receiver.sandbox.example';
const eventually = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, withinSeconds);

export function describeFaults(example: string): void {
  const isInstalled = existsSync(fileOf(example, 'node_modules'));

  describe.skipIf(!chromium || !isInstalled)('in a browser', () => {
    let postern: Postern;
    let site: Site;
    let browser: Browser;
    let context: BrowserContext;

    beforeAll(async () => {
      [postern, browser] = await Promise.all([startPostern(), launch()]);
      await runExample(example, 'build', { POSTERN_URL: postern.address });
      site = await serveSite(example, postern);
      // It receives at once: retries would tell again what a page has missed.
      await ask(`mutation {
        createWebhook(input: { requestUrl: "${receiver}/ok", source: USERS, events: [NEW_RELATION] }) { __typename }
      }`);
    });
    afterAll(async () => {
      await browser?.close();
      await site?.stop();
      await postern?.close();
    });
    beforeEach(async () => {
      context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    });
    afterEach(() => context.close());

    const ask = async (query: string) => {
      const { data, errors } = await graphql(postern.address, postern.key, query);
      expect(errors).toEqual([]);
      return data;
    };
    /** Emits an event, and returns its deliveries. */
    const send = async (event: string): Promise<{ deliveryId: string; webhookId: string }[]> => {
      const { emitEvent } = await ask(`mutation {
        emitEvent(input: { accountId: "pnet-----------------A", event: ${event} }) {
          ... on EventEmitted { deliveries { deliveryId webhookId } } ... on ServiceError { message }
        }
      }`);
      return emitEvent.deliveries;
    };
    const emit = async () => String((await send('NEW_RELATION'))[0]?.deliveryId);
    const open = (path: string, at = site) => openTab(context, `${at.address}/${path}`);
    const shows = async ({ page }: Tab, text: string | RegExp, options = withinSeconds) =>
      page.getByText(text).first().waitFor(options);
    const isLive = (tab: Tab) => shows(tab, 'Live: changes appear by themselves.');
    const hasDelivery = ({ page }: Tab, id: string) => page.locator(`[data-delivery="${id}"]`).waitFor(withinSeconds);

    test('the files are of the types that are generated', async () => {
      await runExample(example, 'typecheck', { POSTERN_URL: postern.address, ...again });
    });

    describe('the feed', () => {
      test('has the posts of both networks, newest first, and reads more', async () => {
        const tab = await open('');
        await shows(tab, 'Show more');
        const first = await tab.posts();
        expect(first.length).toBeGreaterThan(15);
        await tab.page.getByRole('button', { name: 'Show more' }).click();
        await eventually(async () => (await tab.posts()).length).toBeGreaterThan(first.length);
        expect((await tab.posts()).slice(0, first.length)).toEqual(first);
        const times = await tab.page
          .locator('time')
          .evaluateAll((all) => all.map((each) => each.getAttribute('datetime') ?? ''));
        expect(times).toEqual(times.toSorted().reverse());
        expect(tab.complaints).toEqual([]);
      });

      test.each([
        ['down', 'photonet=sandbox.down', 'NETWORK_DOWN', 15],
        ['without such a user', 'photonet=sandbox.gone', 'INVALID_RECIPIENT', 15],
      ])('shows one network while the other is %s', async (_case, search, code, atLeast) => {
        const tab = await open(`?${search}`);
        await shows(tab, code);
        await eventually(async () => (await tab.posts()).length).toBeGreaterThan(atLeast);
        await tab.page.getByRole('button', { name: 'Try again' }).click();
        await shows(tab, code);
        expect((await tab.posts()).length).toBeGreaterThan(atLeast);
        expect(tab.complaints).toEqual([]);
      });
    });

    describe('odd posts of a service', () => {
      const odd = { author: null };
      const unknown = { provider: 'NEWNET' };
      /** Three pages of 20 posts, the given ones of which are odd. */
      async function serveOdd(oddities: Readonly<Record<number, object>>): Promise<Site> {
        const stub = await startStub((request, response) => {
          const url = new URL(request.path, 'http://stub');
          if (!url.pathname.endsWith('/posts') || url.searchParams.get('account_id')?.startsWith('photonet'))
            return json(response, 200, postList([]));
          const page = Number(url.searchParams.get('cursor') ?? 0);
          const numbers = Array.from({ length: 20 }, (_, n) => 20 * page + n);
          const items = numbers.map((n) =>
            pnetPost(`${n}`, { parsed_datetime: new Date(2e12 - n * 6e4).toISOString(), ...oddities[n] }),
          );
          json(response, 200, postList(items, page < 2 ? `${page + 1}` : null));
        });
        const gateway = await proxyTo(stub);
        const site = await serveSite(example, { address: gateway.address, key: 'their-key' }, again);
        onTestFinished(() => site.stop());
        return site;
      }
      const texts = (without: readonly number[], count: number) =>
        Array.from({ length: count }, (_, n) => n)
          .filter((n) => !without.includes(n))
          .map((n) => `Text ${n}`);

      test.each([
        ['on page 1', [3, 7]],
        ['on page 2', [22, 39]],
        ['that are the whole of page 2', Array.from({ length: 20 }, (_, n) => 20 + n)],
      ])('%s are left out and reported, and all others are shown', async (_case, numbers) => {
        const oddities = Object.fromEntries(numbers.map((n, at) => [n, at % 2 === 0 ? odd : unknown]));
        const tab = await open('', await serveOdd(oddities));
        const more = tab.page.getByRole('button', { name: 'Show more' });
        for (const count of [20, 40, 60]) {
          await eventually(tab.posts).toEqual(texts(numbers, count));
          if (count < 60) await more.click();
        }
        await tab.page.getByText(`${numbers.length} posts could not be read and are left out.`).click();
        expect(await tab.page.locator('details li').count()).toBe(numbers.length);
        expect(await more.count()).toBe(0);
        expect(tab.complaints).toEqual([]);
      });
    });

    describe('publishing', () => {
      test('says what is wrong beside the field, until it is right', async () => {
        const tab = await open('#publish');
        const { page } = tab;
        const wrong = page.locator('#wrong');
        const enter = async (field: string, value: string, button: string) => {
          await page.getByLabel(field).fill(value);
          await page.getByRole('button', { name: button, exact: true }).click();
        };
        await enter('Draft id', '', 'Publish');
        await eventually(() => wrong.innerText()).not.toBe('');
        await enter('Draft id', '1007', 'Publish');
        const code = page.getByLabel('Code that you got in a message');
        await code.waitFor();
        for (const [value, text] of [
          ['', 'Enter something. Attempts left: 5.'],
          ['abc', 'This does not have the right form. Attempts left: 5.'],
          ['000000', 'This is not the right one. Attempts left: 4.'],
        ] as const) {
          await enter('Code that you got in a message', value, 'Continue');
          await eventually(() => wrong.innerText()).toContain(text);
          expect(await code.getAttribute('aria-invalid')).toBe('true');
          expect(await code.getAttribute('aria-describedby')).toBe('wrong');
          await eventually(() => code.evaluate((field) => field === document.activeElement)).toBe(true);
        }
        await enter('Code that you got in a message', '123456', 'Continue');
        await shows(tab, 'Job 1007 is published. Its state is ACTIVE.');
        await enter('Draft id', '1007', 'Publish');
        await shows(tab, 'The draft has already been published');
        expect(tab.complaints).toEqual([]);
      });

      test('is asked for once when its response is lost', async () => {
        const { page, ...tab } = await open('#publish');
        let sent = 0;
        await context.route('**/graphql', (route) => {
          if (!route.request().postData()?.includes('publishJob')) return route.continue();
          sent += 1;
          return route.abort();
        });
        await page.getByLabel('Draft id').fill('1011');
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        await shows({ ...tab, page }, /There is no result: .+ Send it again/);
        expect(sent).toBe(1);
      });
    });

    describe('live deliveries', () => {
      test('are live again seconds after the gateway was away for 12 seconds, with what happened meanwhile', async () => {
        const tab = await open('#deliveries');
        await isLive(tab);
        const before = await emit();
        await hasDelivery(tab, before);
        const away = postern.restart(12_000);
        await shows(tab, 'The gateway cannot be reached. The page tries again by itself.');
        await shows(tab, 'Not live');
        expect(await tab.page.locator(`[data-delivery="${before}"]`).count()).toBe(1);
        await away;
        const meanwhile = await emit();
        await isLive(tab);
        await hasDelivery(tab, meanwhile);
        await eventually(() => tab.page.locator('.troubles').innerText()).toBe('');
        await hasDelivery(tab, await emit());
        expect(tab.complaints).toEqual([]);
      });

      test('and all that belongs to them are there without a click when a refused key is put right', async () => {
        onTestFinished(() => site.useKey(postern.key));
        await site.useKey('sandbox_expired_credentials');
        const tab = await open('#deliveries');
        for (const what of ['webhooks', 'deliveries']) await shows(tab, `The ${what} could not be read`);
        expect(await tab.page.getByText('There are no deliveries.').count()).toBe(0);
        await tab.page.getByRole('link', { name: 'Publish' }).click();
        await tab.page.getByRole('button', { name: 'Publish', exact: true }).click();
        await shows(tab, /There is no result: .+ \(EXPIRED_CREDENTIALS\) Send it again/);
        await tab.page.getByRole('link', { name: 'Feed' }).click();
        await shows(tab, 'The posts on photonet could not be read');
        expect(await tab.page.getByText('There are no posts.').count()).toBe(0);
        await tab.page.getByRole('link', { name: 'Deliveries' }).click();
        await shows(tab, 'The webhooks could not be read');
        await site.useKey(postern.key);
        await isLive(tab);
        await eventually(() => tab.page.locator('.failure').count()).toBe(0);
        await eventually(() => tab.page.getByLabel('Webhook').locator('option').count()).toBeGreaterThan(1);
        await hasDelivery(tab, await emit());
        expect(tab.complaints).toEqual([]);
      });
    });

    test('no script has the key, and pages of other origins get nothing', async () => {
      const index = await (await fetch(site.address)).text();
      const [, script = ''] = /src="([^"]+\.js)"/.exec(index) ?? [];
      const text = await (await fetch(site.address + script)).text();
      expect(text.length).toBeGreaterThan(100_000);
      expect(text).not.toContain(postern.key);
      const body = JSON.stringify({ query: '{ viewer { name } }' });
      const send = (origin: string) =>
        fetch(`${site.address}/graphql`, {
          method: 'POST',
          headers: { origin, 'content-type': 'application/json' },
          body,
        });
      expect((await send(site.address)).status).toBe(200);
      expect((await send('https://evil.example')).status).toBe(404);
      const other = await context.newPage();
      // Of another origin, and without a policy of its own for what its scripts may connect to.
      await other.goto(`${postern.address}/readyz`);
      const closed = await other.evaluate(
        (address) =>
          new Promise<number>((resolve) => {
            const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
            socket.onclose = ({ code }) => resolve(code);
          }),
        site.address,
      );
      expect(closed).toBe(1006);
    });

    test.each([
      [390, 'light'],
      [1280, 'dark'],
    ] as const)('is accessible at %i px, %s, in all views', async (width, colorScheme) => {
      const tab = await open('?photonet=sandbox.down');
      const { page } = tab;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await shows(tab, 'NETWORK_DOWN');
      const look = async (view: string) => {
        expect(await inaccessible(page), view).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, view).toBeLessThanOrEqual(0);
        if (process.env.SCREENSHOTS)
          await page.screenshot({ path: `${process.env.SCREENSHOTS}/${example}-${view}-${width}-${colorScheme}.png` });
      };
      await look('feed');
      await page.getByRole('link', { name: 'Publish' }).click();
      await page.getByLabel('Draft id').fill('');
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await eventually(() => page.locator('#wrong').innerText()).not.toBe('');
      await look('publish');
      await page.getByRole('link', { name: 'Deliveries' }).click();
      await isLive(tab);
      await look('deliveries');
    });
  });
}
