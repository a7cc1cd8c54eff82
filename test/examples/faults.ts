/** What the user of an example for React sees, in good times and in bad ones. Every example has the same page. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
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
    /** Creates webhooks for sent mails, which are deleted with the test, and returns their ids. */
    async function createWebhooks(names: readonly string[], path: string): Promise<string[]> {
      const all: string[] = [];
      for (let at = 0; at < names.length; at += 20) {
        const fields = names.slice(at, at + 20).map(
          (name, n) => `n${n}: createWebhook(input: {
            name: "${name}", requestUrl: "${receiver}/${path}", source: EMAIL, events: [MAIL_SENT]
          }) { ... on WebhookCreated { webhook { webhookId } } }`,
        );
        const created: { webhook: { webhookId: string } }[] = Object.values(await ask(`mutation { ${fields} }`));
        const ids = created.map(({ webhook }) => webhook.webhookId);
        all.push(...ids);
        onTestFinished(async () => {
          await ask(
            `mutation { ${ids.map((id, n) => `n${n}: deleteWebhook(input: { webhookId: "${id}" }) { __typename }`)} }`,
          );
        });
      }
      return all;
    }
    /** Resolves as soon as all deliveries of sent mails have ended. */
    const allDelivered = () =>
      eventually(async () => {
        const pending = '{ deliveries(states: [PENDING], events: [MAIL_SENT]) { totalCount } }';
        return (await ask(pending)).deliveries.totalCount;
      }).toBe(0);
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

      test('keeps its pages when the user goes back, and forward again', async () => {
        const tab = await open('');
        await tab.page.getByRole('button', { name: 'Show more' }).click();
        await eventually(async () => (await tab.posts()).length).toBeGreaterThan(25);
        await shows(tab, 'Show more');
        const read = await tab.posts();
        let requests = 0;
        tab.page.on('request', (request) => {
          if (request.method() === 'POST') requests += 1;
        });
        for (const link of ['Publish', 'Deliveries']) await tab.page.getByRole('link', { name: link }).click();
        await tab.page.goBack();
        await tab.page.getByLabel('Draft id').waitFor();
        requests = 0;
        await tab.page.goBack();
        await eventually(tab.posts).toEqual(read);
        expect(requests).toBe(0);
        await tab.page.goForward();
        await tab.page.getByLabel('Draft id').waitFor();
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

      test('says why a further page cannot be read, and keeps what it has', async () => {
        const tab = await open('?pnet=ACoSandboxBreaks&photonet=sandbox.empty');
        const more = tab.page.getByRole('button', { name: 'Show more' });
        for (let pages = 1; pages <= 5; pages += 1) {
          await eventually(async () => (await tab.posts()).length).toBe(20 * pages);
          await more.click();
        }
        await shows(tab, 'PROVIDER_ERROR');
        expect(await tab.posts()).toHaveLength(100);
        await tab.page.getByRole('button', { name: 'Try again' }).click();
        await shows(tab, 'PROVIDER_ERROR');
        expect(await tab.posts()).toHaveLength(100);
        expect(tab.complaints).toEqual([]);
      });
    });

    describe('odd posts of a service', () => {
      const odd = { author: null };
      const unknown = { provider: 'NEWNET' };
      /** Three pages of 20 posts, the given ones of which are odd. */
      async function serveOdd(oddities: Readonly<Record<number, object>>, script?: 'start'): Promise<Site> {
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
        const site = await serveSite(example, { address: gateway.address, key: 'their-key' }, script, again);
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

      test('at the same place of two pages are two, and React finds nothing wrong in development', async () => {
        const tab = await open('', await serveOdd({ 3: odd, 23: odd }, 'start'));
        const more = tab.page.getByRole('button', { name: 'Show more' });
        await eventually(tab.posts).toEqual(texts([3], 20));
        await more.click();
        await eventually(tab.posts).toEqual(texts([3, 23], 40));
        await tab.page.getByText('2 posts could not be read and are left out.').click();
        expect(await tab.page.locator('details li').count()).toBe(2);
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
      test('appear in six tabs at once, all of which still read and write', async () => {
        const tabs = await Promise.all(Array.from({ length: 6 }, () => open('#deliveries')));
        for (const tab of tabs) await isLive(tab);
        const id = await emit();
        for (const tab of tabs) await hasDelivery(tab, id);
        await tabs[5]?.page.getByRole('button', { name: 'Emit an event' }).click();
        for (const tab of tabs) {
          await shows(tab, 'Live');
          await tab.page.getByRole('link', { name: 'Feed' }).click();
        }
        for (const tab of tabs) await eventually(async () => (await tab.posts()).length).toBeGreaterThan(15);
        // The WebSockets are closed by now, as no view needs them.
        await sleep(1_500);
        for (const tab of tabs) expect(await tab.page.locator('.troubles').innerText()).toBe('');
        for (const tab of tabs) expect(tab.complaints).toEqual([]);
      });

      test('are live when the user comes back to them at once', async () => {
        const tab = await open('#deliveries');
        await isLive(tab);
        await tab.page.getByRole('link', { name: 'Publish' }).click();
        await tab.page.getByRole('link', { name: 'Deliveries' }).click();
        await isLive(tab);
        await hasDelivery(tab, await emit());
      });

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

      test('of 200 webhooks are one list, which is read further, chosen from, and live', async () => {
        const names = Array.from({ length: 200 }, (_, n) => `Mail ${n}`);
        await createWebhooks(names, 'ok');
        const mails = new Set((await send('MAIL_SENT')).map(({ deliveryId }) => deliveryId));
        await allDelivered();
        const tab = await open('#deliveries');
        const { page } = tab;
        await isLive(tab);
        const rows = page.locator('[data-delivery]');
        const states = async () => [...new Set(await rows.locator('strong').allInnerTexts())];
        const shown = () => rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-delivery') ?? ''));
        // Deliveries of other tests that change while the page is open are added to its list.
        const count = async () => (await shown()).filter((id) => mails.has(id)).length;
        await eventually(count).toBe(20);
        await page.getByRole('button', { name: 'Show more' }).click();
        await eventually(count).toBe(40);
        await page.getByLabel('Webhook').selectOption({ label: 'Mail 150' });
        await eventually(() => rows.count()).toBe(1);
        await send('MAIL_SENT');
        await eventually(() => rows.count()).toBe(2);
        await eventually(states).toEqual(['SUCCEEDED']);
        expect(await rows.first().innerText()).toMatch(/\s1 attempt, the last: 200$/);
        await page.getByLabel('State').selectOption('FAILED');
        await shows(tab, 'There are no deliveries.');
        await page.getByLabel('Webhook').selectOption({ label: 'All' });
        await isLive(tab);
        await createWebhooks(['Mail that is gone'], 'gone');
        const sent = (await send('MAIL_SENT')).map(({ deliveryId }) => deliveryId);
        await eventually(states).toEqual(['FAILED']);
        await eventually(shown).toEqual(expect.arrayContaining([expect.toBeOneOf(sent)]));
        expect(tab.complaints).toEqual([]);
      });

      describe('between responses and updates', () => {
        /** What the page gets: it has no WebSocket while `isCut`, and responses with deliveries are put off into `held`. */
        async function intercept() {
          const told: { deliveryId: string; attemptCount: number; state: string }[] = [];
          const held: (() => Promise<void>)[] = [];
          let close = () => {};
          const network = {
            isCut: false,
            isHolding: false,
            held,
            cut() {
              network.isCut = true;
              close();
            },
            wasTold: (id: string, attempts: number) =>
              told.some(
                (each) => each.deliveryId === id && each.attemptCount === attempts && each.state === 'SUCCEEDED',
              ),
          };
          await context.routeWebSocket('**/graphql', (socket) => {
            close = () => void socket.close();
            if (network.isCut) return close();
            socket.connectToServer().onMessage((text) => {
              const { type, payload } = JSON.parse(`${text}`);
              if (type === 'next') told.push(payload.data.deliveryUpdated);
              socket.send(text);
            });
          });
          await context.route('**/graphql', async (route) => {
            const response = await route.fetch();
            // The page may have given it up meanwhile.
            const pass = () => route.fulfill({ response }).catch(() => {});
            if (network.isHolding && route.request().postData()?.includes('deliveries(')) held.push(pass);
            else await pass();
          });
          return network;
        }
        /** Returns a function that emits an event, and returns the id of its delivery as soon as this has succeeded. */
        async function receive(): Promise<() => Promise<string>> {
          const [webhookId] = await createWebhooks(['Mail'], 'ok');
          return async () => {
            const deliveries = await send('MAIL_SENT');
            await allDelivered();
            return String(deliveries.find((each) => each.webhookId === webhookId)?.deliveryId);
          };
        }

        test('an update stays that a response under way is older than', async () => {
          const [deliver, network] = await Promise.all([receive(), intercept()]);
          const before = await deliver();
          const tab = await open('#deliveries');
          await isLive(tab);
          await hasDelivery(tab, before);
          network.isHolding = true;
          network.cut();
          await shows(tab, 'Not live');
          const meanwhile = await deliver();
          network.isCut = false;
          await eventually(() => network.held.length).toBeGreaterThan(0);
          let after = '';
          // The protocol does not say when a subscription has begun. Not at once again: a page of the list has 20 deliveries.
          await eventually(async () => {
            after = await deliver();
            const told = expect.poll(() => network.wasTold(after, 1), { timeout: 5_000 }).toBe(true);
            return told.then(
              () => true,
              () => false,
            );
          }).toBe(true);
          await ask(`mutation { redeliverDelivery(input: { deliveryId: "${before}" }) { __typename } }`);
          await eventually(() => network.wasTold(before, 2)).toBe(true);
          network.isHolding = false;
          for (const pass of network.held) await pass();
          await hasDelivery(tab, meanwhile);
          await hasDelivery(tab, after);
          await eventually(() => tab.page.locator(`[data-delivery="${before}"]`).innerText()).toContain('2 attempts');
          expect(tab.complaints).toEqual([]);
        });

        test('the list is read once more when the connection comes while it is read', async () => {
          const [deliver, network] = await Promise.all([receive(), intercept()]);
          network.isHolding = true;
          network.isCut = true;
          const tab = await open('#deliveries');
          await eventually(() => network.held.length).toBeGreaterThan(0);
          const meanwhile = await deliver();
          network.isCut = false;
          await isLive(tab);
          network.isHolding = false;
          for (const pass of network.held.toReversed()) await pass();
          await hasDelivery(tab, meanwhile);
          await tab.page.getByRole('button', { name: 'Emit an event' }).click();
          await shows(tab, /The event has [1-9]\d* deliveries/);
          expect(await tab.page.locator(`[data-delivery="${meanwhile}"]`).count()).toBe(1);
          expect(tab.complaints).toEqual([]);
        });
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

      test('go on with a new key after the old one was refused', async () => {
        const tab = await open('#deliveries');
        await isLive(tab);
        onTestFinished(() => site.useKey(postern.key));
        const expiring = await postern.newKey('--expires', new Date(Date.now() + 20_000).toISOString());
        await site.useKey(expiring);
        await tab.page.reload();
        await isLive(tab);
        await shows(tab, /expired/i, { timeout: 60_000 });
        await site.useKey(postern.key);
        await eventually(() => tab.page.locator('.troubles').innerText()).toBe('');
        await isLive(tab);
        await hasDelivery(tab, await emit());
        expect(tab.complaints).toEqual([]);
      });
    });

    test('React and the client find nothing wrong in development, in any view', async () => {
      const developed = await serveSite(example, postern, 'start');
      onTestFinished(() => developed.stop());
      const tab = await open('', developed);
      const { page } = tab;
      await page.getByRole('button', { name: 'Show more' }).click();
      await eventually(async () => (await tab.posts()).length).toBeGreaterThan(25);
      await page.getByRole('link', { name: 'Publish' }).click();
      await page.getByLabel('Draft id').waitFor();
      await page.getByRole('link', { name: 'Deliveries' }).click();
      await isLive(tab);
      await hasDelivery(tab, await emit());
      await page.getByRole('button', { name: 'Emit an event' }).click();
      await shows(tab, /The event has [1-9]\d* deliveries/);
      await page.getByRole('link', { name: 'Feed' }).click();
      await eventually(async () => (await tab.posts()).length).toBeGreaterThan(25);
      expect(tab.complaints).toEqual([]);
    });

    test('a page that opens while the gateway is away fills as soon as it is back', async () => {
      const away = postern.restart(3_000);
      await sleep(500);
      const tab = await open('');
      await shows(tab, 'The gateway cannot be reached. The page tries again by itself.');
      await away;
      await eventually(async () => (await tab.posts()).length).toBeGreaterThan(15);
      await eventually(() => tab.page.locator('.troubles').innerText()).toBe('');
      expect(tab.complaints).toEqual([]);
    });

    test('a request that was under way when the browser went offline is sent when it is online again', async () => {
      const tab = await open('');
      await eventually(async () => (await tab.posts()).length).toBeGreaterThan(15);
      const before = (await tab.posts()).length;
      await context.setOffline(true);
      await tab.page.getByRole('button', { name: 'Show more' }).click();
      await shows(tab, 'The gateway cannot be reached. The page tries again by itself.');
      expect(await tab.posts()).toHaveLength(before);
      await context.setOffline(false);
      await eventually(async () => (await tab.posts()).length).toBeGreaterThan(before);
      expect(tab.complaints).toEqual([]);
    });

    test('a slow phone shows the feed, and follows a tap', async () => {
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
      await page.goto(site.address);
      await page.locator('.feed article').first().waitFor({ timeout: 30_000 });
      const count = await page.locator('.feed article').count();
      await page.getByRole('button', { name: 'Show more' }).click();
      await eventually(() => page.locator('.feed article').count()).toBeGreaterThan(count);
      await page.close();
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
