/** The documentation that the gateway serves: every page, every link of one, and how it looks in a browser. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium as launcher, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { documentationPages } from '../../src/pages/docs/page.ts';
import { pages } from '../support/docs.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { chromium } from '../support/servers.ts';
import { lowContrast } from '../webhooks-page/contrast.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ environment: { LOG_LEVEL: 'silent' } });
});
afterAll(() => gateway?.close());

const linksIn = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));

it('has every page of the repository', () => {
  expect(Object.keys(documentationPages).sort()).toEqual([...pages.keys()].sort());
});

it('has the pages in the groups of the README, and the parts of the one that is shown', async () => {
  const text = await (await fetch(`${gateway.address}/docs/run/deployment`)).text();
  const [, menu = ''] = /<nav id="menu".*?>(.*?)<\/nav>/s.exec(text) ?? [];
  expect([...menu.matchAll(/<p>([^<]+)<\/p>/g)].map(([, group]) => group)).toEqual([
    'The API',
    'Clients',
    'Larger systems',
    'To run it',
    'To change it',
  ]);
  const [, parts = ''] = /aria-current="page">Deployment<\/a><ul>(.*?)<\/ul>/s.exec(menu) ?? [];
  const headings = [...text.matchAll(/<h2 id="([^"]+)">/g)].map(([, anchor]) => `#${anchor}`);
  expect(linksIn(parts)).toEqual(headings);
  expect(headings.length).toBeGreaterThan(2);
});

it.each([
  [{}, ['/graphql', '/webhooks', '/jobs-and-posts', '/docs'], 'Run'],
  [{ GRAPHIQL: 'off', WEBHOOKS_PAGE: 'off', DEMO: 'off' }, ['/docs'], 'Create an API key'],
])('begins with a page of what is served: %j', async (environment, pagesServed, shown) => {
  const { address, close } = await startGateway({ environment: { LOG_LEVEL: 'silent', DEMO: 'on', ...environment } });
  onTestFinished(close);
  const text = await (await fetch(address)).text();
  const [, bar = ''] = /<nav id="bar-pages".*?>(.*?)<\/nav>/s.exec(text) ?? [];
  expect(linksIn(bar)).toEqual(pagesServed);
  expect(text).toContain(`>${shown}<`);
  expect(text).not.toContain('{{');
});

it('refuses what is wrong with a request of no page in the usual way', async () => {
  const headers = ['host', 'a', 'host', 'b', 'accept', 'text/html'];
  const [response] = await once(get(`${gateway.address}/no-such-page`, { headers }), 'response');
  response.resume();
  expect(response.statusCode).toBe(400);
  expect(response.headers['content-type']).toContain('json');
});

it('serves others between the pages that it makes the index of the search from', async () => {
  let turns = 0;
  const look = setInterval(() => {
    turns += 1;
  }, 1);
  onTestFinished(() => clearInterval(look));
  const response = await fetch(`${gateway.address}/docs/search.json`);
  expect((await response.json()).length).toBeGreaterThan(100);
  expect(turns).toBeGreaterThanOrEqual(Object.keys(documentationPages).length);
});

it('has one bar on all pages', async () => {
  const bars = await Promise.all(
    ['/', '/docs', '/docs/use/errors', '/graphql', '/webhooks', '/jobs-and-posts', '/nothing'].map(async (path) => {
      const text = await (await fetch(gateway.address + path, { headers: { accept: 'text/html' } })).text();
      expect(new Set(text.match(/assets\/[\w-]+\/bar\.(?:css|js)"/g)).size, path).toBe(2);
      const [bar = ''] = /<header id="bar">.*?<\/header>/s.exec(text) ?? [];
      const [current = ''] = /<a [^>]*aria-current[^>]*>([^<]*)/.exec(bar)?.slice(1) ?? [];
      return [path, current, bar.replace(' aria-current="true"', '').replace(/<div class="bar-tools">.*?<\/div>/, '')];
    }),
  );
  expect(bars.map(([, current]) => current)).toEqual([
    '',
    'Docs',
    'Docs',
    'GraphiQL',
    'Webhooks',
    'Jobs and posts',
    '',
  ]);
  expect(new Set(bars.map(([, , bar]) => bar)).size).toBe(1);
});

it('links to nothing that is not there, from any page', async () => {
  const read = new Map<string, string>();
  const missing: string[] = [];
  const open = ['/docs'];
  for (const path of open) {
    // As a browser follows it: GraphiQL is for pages alone.
    const response = await fetch(gateway.address + path, { headers: { accept: 'text/html,*/*' } });
    const type = response.headers.get('content-type') ?? '';
    const text = await response.text();
    if (response.status !== 200) missing.push(path);
    if (!type.startsWith('text/html') || !path.startsWith('/docs')) continue;
    read.set(path, text);
    const own = linksIn(text).filter((link) => link.startsWith('/'));
    for (const link of own) {
      const [target = ''] = link.split('#');
      if (!open.includes(target)) open.push(target);
    }
  }
  expect(missing).toEqual([]);
  expect(read.size).toBe(pages.size);
  const dead = [...read].flatMap(([path, text]) =>
    linksIn(text).filter((link) => {
      const [target = '', anchor] = link.split('#');
      const page = read.get(target === '' ? path : target);
      return anchor !== undefined && page !== undefined && !page.includes(`id="${anchor}"`);
    }),
  );
  expect(dead).toEqual([]);
});

it('runs its own scripts alone, may not be framed, and is sent again only when it has changed', async () => {
  const response = await fetch(`${gateway.address}/docs/use/errors`, { headers: { 'accept-encoding': 'gzip' } });
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect(response.headers.get('content-encoding')).toBe('gzip');
  const text = await response.text();
  expect(text).not.toMatch(/<script(?! type="module" src="\/docs\/)|<style|style=|<!--|\{\{/);
  expect(text).toMatch(/<td[^>]*><code>RESOURCE_NOT_FOUND<\/code><\/td>/);
  const etag = response.headers.get('etag') ?? '';
  const again = await fetch(response.url, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
});

it('colours code of the languages of the pages, and keeps its text', async () => {
  const { highlight } = await import('../../src/pages/docs/highlight.ts');
  const blocks = [...pages.values()].flatMap((text) => [...text.matchAll(/^```(\w+)\n(.*?)\n```$/gms)]);
  const plain = new Set<string>();
  for (const [, language = '', code = ''] of blocks) {
    const colored = highlight(code, language);
    if (!colored.includes('class="hljs-')) plain.add(language);
    const text = colored
      .replaceAll(/<\/?span[^<>]*>/g, '')
      .replaceAll('&#x27;', "'")
      .replaceAll('&gt;', '>');
    expect(text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')).toBe(code);
  }
  expect(blocks.length).toBeGreaterThan(100);
  // A command without strings, variables and comments has no colours.
  expect([...plain].sort()).toEqual(['caddyfile', 'ini', 'nginx', 'sh']);
});

it.each([
  '/docs/nothing',
  '/docs/use/nothing',
  '/docs/images/nothing',
  '/docs/images/nothing.svg',
  '/docs/images/..%2F..%2Fpackage.json',
])('%s is not found', async (path) => {
  expect((await fetch(gateway.address + path)).status).toBe(404);
});

describe('an address without a page', () => {
  const open = (path: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8', method = 'GET') =>
    fetch(gateway.address + path, { method, headers: { accept } });
  const named = (text: string) => [...text.matchAll(/<li><a href="([^"]+)">/g)].map(([, address]) => address);

  it.each([
    ['/docs/use/error', '/docs/use/errors'],
    ['/docs/use/webhooks.md', '/docs/use/webhooks'],
    ['/docs/run/webhooks', '/docs/use/webhooks'],
    ['/Webhook/', '/webhooks'],
    ['/jobs-and-post', '/jobs-and-posts'],
    ['/README.md', '/'],
    ['/favicon.ico', '/'],
  ])('has a page with the nearest names for a browser: %s', async (path, nearest) => {
    const response = await open(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('vary')).toContain('accept');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    const text = await response.text();
    expect(named(text)[0]).toBe(nearest);
    expect(text).toContain('id="search-dialog"');
    expect(text).not.toContain('{{');
  });

  it('is the refusal of the contract for a client, for an API, and for another method', async () => {
    for (const response of [
      await open('/favicon.ico', '*/*'),
      await open('/docs/use/errors.md', 'application/json'),
      await open('/v1/nothing'),
      await open('/nothing', 'text/html', 'POST'),
    ]) {
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect([response.status, await response.json()]).toMatchObject([404, { type: 'errors/resource_not_found' }]);
    }
  });

  it('shows what was asked for as text, and no more of it than one can read', async () => {
    const text = await (await open(`/<b>${'x'.repeat(3_000)}`)).text();
    expect(text).not.toContain('<b>');
    expect(text).not.toContain('x'.repeat(101));
  });
});

it.each([
  ['graphiql.png', 'image/png'],
  ['modes.svg', 'image/svg+xml'],
])('the picture %s is %s', async (name, type) => {
  const response = await fetch(`${gateway.address}/docs/images/${name}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
});

describe.skipIf(!chromium)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launcher.launch({
      executablePath: chromium as string,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  });
  afterAll(() => browser?.close());

  async function openPage(options: BrowserContextOptions): Promise<Page> {
    const page = await browser.newPage(options);
    onTestFinished(() => page.context().close());
    return page;
  }

  it('has tabs above an operation, which the keyboard reaches, and remembers the one that was chosen', async () => {
    const page = await openPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${gateway.address}/docs/use/schema`);
    const block = page.locator('.code', { hasText: 'query BothNetworks' });
    const panel = block.getByRole('tabpanel');
    expect(await block.getByRole('tab').allInnerTexts()).toEqual(['GraphQL', 'curl', 'fetch', 'client']);
    expect(await panel.innerText()).toMatch(/^query BothNetworks/);
    await block.getByRole('tab', { name: 'GraphQL' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await panel.innerText()).toContain(`curl -s '${gateway.address}/graphql'`);
    expect(await panel.getAttribute('aria-labelledby')).toBe(
      await block.getByRole('tab', { selected: true }).getAttribute('id'),
    );
    await page.keyboard.press('End');
    expect(await panel.innerText()).toContain("from 'postern/client'");
    expect(await page.evaluate(lowContrast)).toEqual([]);
    // The others follow, and this one stays where it is.
    const below = page.getByRole('tab', { name: 'fetch' }).nth(1);
    await below.scrollIntoViewIfNeeded();
    const { y: top = 0 } = (await below.boundingBox()) ?? {};
    await below.click();
    expect((await below.boundingBox())?.y).toBeCloseTo(top, -1);
    expect(await page.getByRole('tab', { selected: true }).allInnerTexts()).toEqual(Array(4).fill('fetch'));
    await page.goto(`${gateway.address}/docs/use/webhooks`);
    expect(await page.getByRole('tab', { selected: true }).allInnerTexts()).toEqual(Array(4).fill('fetch'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.code:has(.tabs)').first().getByRole('button', { name: 'Copy the code' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`fetch('${gateway.address}/graphql'`);
    await page.goto(`${gateway.address}/docs/use/errors`);
    expect(await page.getByText('@throwOnFieldError').count()).toBeGreaterThan(0);
    expect(await page.locator('.code', { hasText: '@throwOnFieldError' }).getByRole('tab').count()).toBe(0);
  });

  it('runs each operation of the first page, and shows an event being delivered', async () => {
    const { address, app, directory, close } = await startGateway({
      environment: { LOG_LEVEL: 'silent', DEMO: 'on' },
    });
    onTestFinished(close);
    const page = await openPage({ viewport: { width: 1280, height: 900 } });
    const complaints: string[] = [];
    page.on('pageerror', (error) => void complaints.push(error.message));
    await page.goto(address);
    await page.getByRole('button', { name: 'Run' }).first().click();
    const field = page.getByRole('textbox', { name: 'API key' });
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor();
    await field.fill((await readFile(join(directory, 'demo-key'), 'utf8')).trim());
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('banner').getByRole('button', { name: 'Demo key' }).waitFor();
    // Nothing is left of a key that the tab forgets.
    expect(await page.locator('#key input').inputValue()).toBe('');
    const expected = {
      'One feed for both networks': '"previewImage"',
      'Publish with a one-time code': '"PnetJobPostingPublished"',
      'Watch deliveries': 'SUCCEEDED, attempt',
      'Health of all webhooks': '"successRate"',
      'Failures are data': '"code": "PAYMENT',
      'The same over REST': '"object": "PostList"',
    };
    for (const [name, text] of Object.entries(expected)) {
      const tile = page.getByRole('article').filter({ has: page.getByRole('heading', { name }) });
      await tile.getByRole('button', { name: 'Run' }).click();
      await expect.poll(() => tile.locator('.result').textContent(), { timeout: 20_000 }).toContain(text);
      const stop = tile.getByRole('button', { name: 'Stop' });
      if (await stop.isVisible()) await stop.click();
      await tile.getByRole('button', { name: 'Run' }).waitFor();
    }
    expect(await page.getByRole('article').count()).toBe(Object.keys(expected).length);
    const tileOf = (name: string) =>
      page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
    // What is stopped before its response, or beside a failure, leaves nothing open.
    await page.route(/\/v1\//, () => undefined);
    const rest = tileOf('The same over REST');
    await rest.getByRole('button', { name: 'Run' }).click();
    await rest.getByRole('button', { name: 'Stop' }).click();
    await rest.getByText('Stopped.').waitFor();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('emitEvent(')
        ? route.fulfill({ json: { errors: [{ message: 'No event.' }] } })
        : route.continue(),
    );
    const watching = tileOf('Watch deliveries');
    await watching.getByRole('button', { name: 'Run' }).click();
    await watching.getByText('No event.').waitFor();
    await expect.poll(() => app.streams.count('subscription')).toBe(0);
    // A connection that is lost is tried again.
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.abort(), { times: 1 });
    await watching.getByRole('button', { name: 'Run' }).click();
    await expect
      .poll(() => watching.locator('.result').textContent(), { timeout: 20_000 })
      .toMatch(/SUCCEEDED, attempt.*The event is emitted\.\nThe connection is lost\./s);
    expect(await page.evaluate(lowContrast)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.screenshot({ path: 'node_modules/.cache/start.png', fullPage: true });
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });

  it.each(['light', 'dark'] as const)('can be read in %s, and needs nothing from elsewhere', async (colorScheme) => {
    const page = await openPage({ colorScheme, viewport: { width: 1200, height: 800 } });
    const complaints: string[] = [];
    page.on('console', (message) => void complaints.push(message.text()));
    page.on('request', (sent) => {
      if (!sent.url().startsWith('data:') && new URL(sent.url()).origin !== gateway.address)
        complaints.push(sent.url());
    });
    let bytes = 0;
    page.on('requestfinished', async (sent) => {
      const { responseBodySize, responseHeadersSize } = await sent.sizes();
      bytes += responseBodySize + responseHeadersSize;
    });
    await page.goto(`${gateway.address}/docs/use/webhooks`, { waitUntil: 'networkidle' });
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(250_000);
    for (const path of ['use/webhooks', 'use/schema', 'use/rest']) {
      await page.goto(`${gateway.address}/docs/${path}`);
      expect(await page.locator('pre [class^=hljs-]').count()).toBeGreaterThan(10);
      expect(await page.evaluate(lowContrast)).toEqual([]);
    }
    // On paper what was dark is light, and no line of code is cut.
    await page.emulateMedia({ media: 'print', colorScheme });
    await page.setViewportSize({ width: 700, height: 1000 });
    expect(await page.evaluate(lowContrast)).toEqual([]);
    expect(await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)).toBe(
      'rgb(255, 255, 255)',
    );
    const cut = await page.locator('pre').evaluateAll((all) => all.filter((pre) => pre.scrollWidth > pre.clientWidth));
    expect(cut).toHaveLength(0);
    await page.emulateMedia({ media: 'screen', colorScheme });
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.goto(`${gateway.address}/graphql`);
    await page.getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('heading', { name: 'Postern', level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Limits' }).click();
    await page.getByRole('heading', { name: 'Operation cost' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Documentation' }).locator('[aria-current]').innerText()).toBe(
      'Limits',
    );
    expect(await page.evaluate(lowContrast)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.screenshot({ path: `node_modules/.cache/docs-${colorScheme}.png` });
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('webhook zebra');
    await page.getByText('Nothing has all of these words.').waitFor();
    await page.getByRole('searchbox').fill('operation COST');
    const found = page.getByRole('dialog').getByRole('link');
    await expect.poll(() => found.first().innerText()).toMatch(/^Limits › Operation cost\n/);
    expect(await found.first().locator('mark').allInnerTexts()).toEqual(expect.arrayContaining(['Operation', 'cost']));
    expect(await page.evaluate(lowContrast)).toEqual([]);
    await page.screenshot({ path: `node_modules/.cache/docs-search-${colorScheme}.png` });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toBe(`${gateway.address}/docs/use/limits#operation-cost`);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${gateway.address}/docs/use/schema`);
    const [code] = await page.locator('.code', { hasText: 'query BothNetworks' }).all();
    await code?.getByRole('button', { name: 'Copy the code' }).click();
    await code?.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe((await code?.getByRole('tabpanel').innerText())?.trimEnd());
    const run = await code?.getByRole('link', { name: 'Run in GraphiQL' }).getAttribute('href');
    const link = new URLSearchParams(run?.split('#')[1]);
    expect(link.get('query')).toBe(copied);
    expect(JSON.parse(link.get('variables') ?? '')).toHaveProperty('pnet');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.goto(`${gateway.address}/docs/changelog`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.goBack();
    const menu = page.getByRole('navigation', { name: 'Documentation' });
    expect(await menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Documentation' }).click();
    expect(await menu.getByRole('link', { name: 'Webhooks', exact: true }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await menu.isVisible()).toBe(false);
  });
});
