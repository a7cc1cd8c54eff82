/** The page of GraphiQL in a browser: as a newcomer sees it, by keyboard, on a phone, in light and dark. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Example, examples } from '../../src/pages/graphiql/examples.ts';
import { exampleOperation } from '../support/examples.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { chromium } from '../support/servers.ts';

type Name = (typeof examples)[number]['name'];

const exampleOf = (name: Name): Example => examples.find((each) => each.name === name) as Example;

/** The part of Monaco that the tests read. */
interface MonacoWindow {
  readonly monaco: {
    readonly editor: {
      getModels(): { readonly uri: { readonly path: string }; getValue(): string; setValue(text: string): void }[];
    };
  };
}

describe.skipIf(!chromium)('GraphiQL in a browser', () => {
  let gateway: Gateway;
  let key: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** What the page asked of anybody else, and what it complained about. */
  const outside: string[] = [];
  /** Requests that say where the page came from. */
  const referred: string[] = [];
  const complaints: string[] = [];
  /** Bodies of requests that the gateway refused: a complaint names only the status. */
  const refused: (string | null)[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ environment: { DEMO: 'on' } });
    gateway.app.server.server.on('request', ({ url, headers }) => {
      if (headers.referer !== undefined) referred.push(`${url} from ${headers.referer}`);
    });
    key = (await readFile(join(gateway.directory, 'demo-key'), 'utf8')).trim();
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
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    context.on('request', (sent) => {
      if (!/^(data|blob):/.test(sent.url()) && new URL(sent.url()).origin !== gateway.address) outside.push(sent.url());
    });
    context.on('response', (response) => {
      if (response.status() === 400) refused.push(response.request().postData());
    });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${gateway.address}/graphql?token=${gateway.app.signInToken}`);
    await page.waitForURL(`${gateway.address}/graphql`);
    await editorIsThere();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const editorIsThere = (tab = page) => tab.locator('.graphiql-query-editor .view-line').first().waitFor();

  /** Monaco writes spaces as no-break spaces. */
  const textIn = async (selector: string, tab = page) =>
    (await tab.locator(`${selector} .view-lines`).innerText()).replaceAll('\u00a0', ' ');
  /** The whole response that is shown, of which Monaco renders what is in view. */
  const answer = () =>
    page.evaluate((): string => {
      return (
        (globalThis as unknown as MonacoWindow).monaco.editor
          .getModels()
          .find(({ uri }) => uri.path.endsWith('response.json'))
          ?.getValue() ?? ''
      );
    });
  const status = () => page.locator('#status').innerText();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  /** Opens an example in the present tab, and waits until GraphiQL has read it: what is run before is the one before. */
  async function openExample(name: Name, tab = page): Promise<void> {
    await tab.getByRole('button', { name: 'Examples' }).click();
    await tab.getByRole('button', { name: exampleOf(name).title, exact: true }).click();
    await hasRead(name, tab);
  }

  /** In the editor, and stored: an example that was open before is stored already. */
  async function hasRead(name: string, tab = page): Promise<void> {
    const read = () =>
      tab.evaluate(() => [
        (globalThis as unknown as MonacoWindow).monaco.editor
          .getModels()
          .find(({ uri }) => uri.path.endsWith('operation.graphql'))
          ?.getValue(),
        globalThis.localStorage['postern:graphiql:query'],
      ]);
    await expect.poll(read).toEqual(Array.from({ length: 2 }, () => expect.stringContaining(` ${name}`)));
  }

  /** GraphiQL stores the tabs half a second after a change: a reload before that brings back the tabs before it. */
  const storedTabs = () => page.evaluate((): string => globalThis.localStorage['postern:graphiql:tabState']);

  /** Presses the button and waits for an answer that holds this text. */
  async function runAndSee(text: string): Promise<void> {
    await page.locator('.graphiql-execute-button').click();
    await expect.poll(answer).toContain(text);
  }

  it('starts with the first example, and the demo key in the headers', async () => {
    expect(await page.title()).toBe('Postern');
    await expect.poll(() => page.locator('.graphiql-tab').allInnerTexts()).toEqual(['WhoAmI']);
    expect(await page.locator('#note').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await expect.poll(() => page.locator('.graphiql-editor-tool').innerText()).toContain(key);
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
  });

  it('says what to press, and what else there is to run, where the response will be', async () => {
    const welcome = page.getByRole('region', { name: 'Start here' });
    expect(await welcome.getByRole('button').allInnerTexts()).toEqual([
      expect.stringMatching(/^A feed of both networks/),
      expect.stringMatching(/^Publish with a one-time code/),
      expect.stringMatching(/^Watch deliveries/),
    ]);
    await welcome.getByRole('button').first().click();
    await hasRead('FeedOfBoth');
    expect(await welcome.isVisible()).toBe(true);
    await openExample('WhoAmI');
  });

  it('runs it by Ctrl-Enter before anything has the focus', async () => {
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('Control+Enter');
    await expect.poll(answer).toContain('"Demo"');
    expect(await page.locator('#welcome').count()).toBe(0);
  });

  it('runs it, and shows the status, time, size and cost of the response', async () => {
    await runAndSee('"Demo"');
    await expect
      .poll(status)
      .toMatch(/^status 200 · [\d,]+ ms · [\d,]+ bytes · cost [\d,]+ of 150,000 · request [\w-]{36}$/);
    const line = await status();
    const requestId = line.slice(-36);
    await expect
      .poll(() => gateway.log)
      .toContainEqual(expect.objectContaining({ reqId: requestId, operation: 'WhoAmI' }));
    // The cost was asked for by the page: other clients do not get it.
    expect(await answer()).not.toContain('requestedCost');
    const { data } = await graphql(gateway.address, key, await exampleOperation(exampleOf('WhoAmI')));
    const bytes = Number(/([\d,]+) bytes/.exec(line)?.[1]?.replaceAll(',', ''));
    expect(bytes).toBeGreaterThan(JSON.stringify({ data }).length);
  });

  it('explains an example in a card above the editors, which stays folded', async () => {
    const card = page.locator('#card');
    await expect.poll(() => textIn('.graphiql-query-editor')).toMatch(/^query WhoAmI/);
    await expect.poll(() => card.innerText()).toContain('Who you are');
    expect(await card.innerText()).toContain('Try next: Posts of a person on pnet');
    await card.locator('summary').click();
    await expect.poll(() => card.locator('#about').isVisible()).toBe(false);
    await page.reload();
    await editorIsThere();
    await expect.poll(() => card.locator('#about').isVisible()).toBe(false);
    await card.locator('summary').click();
    await card.getByRole('button', { name: 'Try next' }).click();
    await hasRead('PnetPosts');
    await expect.poll(() => card.locator('#card-title').innerText()).toBe(exampleOf('PnetPosts').title);
    await expect.poll(() => card.locator('#about').isVisible()).toBe(true);
    await page.locator('.graphiql-query-editor .view-lines').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('query Mine {{}');
    await expect.poll(() => card.isVisible()).toBe(false);
    await page.keyboard.press('Escape');
  });

  it('says in red that a response with the status 200 has an error, and links to what to do', async () => {
    await openExample('TypedError');
    await runAndSee('USER_UNREACHABLE');
    await expect.poll(status).toMatch(/^status 200 · 1 error · /);
    const red = page.locator('#status strong');
    await expect.poll(() => red.innerText()).toBe('1 error');
    expect(await red.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(185, 38, 52)');
    const [help] = await Promise.all([page.waitForEvent('popup'), red.getByRole('link').click()]);
    await expect.poll(() => help.locator('h1').innerText()).toBe('Errors and null');
    await help.close();
    await openExample('WhoAmI');
    await runAndSee('"Demo"');
    await expect.poll(status).toMatch(/^status 200 · [\d,]+ ms/);
    await expect.poll(() => red.count()).toBe(0);
  });

  it('fills variables with the account that is chosen: those of the open operation, and of examples', async () => {
    const variables = () =>
      page.evaluate((): unknown => {
        const models = (globalThis as unknown as MonacoWindow).monaco.editor.getModels();
        return JSON.parse(models.find(({ uri }) => uri.path.endsWith('variables.json'))?.getValue() ?? '');
      });
    const ids = ['pnet-----------------A', 'photonet-------------A'];
    await openExample('WatchAccounts');
    const select = page.getByRole('combobox', { name: 'Account in the variables' });
    expect(await select.locator('option').evaluateAll((all) => all.map((each) => each.getAttribute('value')))).toEqual(
      expect.arrayContaining(['', ...ids]),
    );
    expect(await variables()).toEqual({ accountIds: ids });
    await select.selectOption('Demo PHOTONET');
    expect(await variables()).toEqual({ accountIds: [ids[1]] });
    // Ids of other networks stay.
    await openExample('FeedOfBoth');
    expect(await variables()).toEqual(exampleOf('FeedOfBoth').variables);
    await select.selectOption('Demo SEARCHMAIL');
    await openExample('CreateDraft');
    expect(await variables()).toMatchObject({ input: { accountId: 'searchmail-----------A' } });
    await select.selectOption('');
    await openExample('CreateDraft');
    expect(await variables()).toEqual(exampleOf('CreateDraft').variables);
  });

  it('keeps the token out of the address, the history of the tab, the storage, the cookies and the referrers', async () => {
    const token = gateway.app.signInToken as string;
    expect(page.url()).toBe(`${gateway.address}/graphql`);
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(kept).not.toContain(token);
    expect(await context.cookies()).toEqual([]);
    const visited = await (await context.newCDPSession(page)).send('Page.getNavigationHistory');
    expect(visited.entries.map(({ url }) => url)).toEqual(['about:blank', `${gateway.address}/graphql`]);
    expect(referred).toEqual([]);
  });

  it('gives no key to a tab without the link or with a used one, and shows where to enter a key', async () => {
    const other = await browser.newContext();
    const tab = await other.newPage();
    await tab.goto(`${gateway.address}/graphql`);
    await expect.poll(() => tab.locator('#note').innerText()).toContain('open the link');
    await editorIsThere(tab);
    await expect
      .poll(() => textIn('.graphiql-editor-tool .graphiql-editor:not(.hidden)', tab))
      .toContain('"X-API-KEY": ""');
    expect(await tab.content()).not.toContain(key);
    await tab.evaluate(
      (text) => {
        const models = (globalThis as unknown as MonacoWindow).monaco.editor.getModels();
        models.find(({ uri }) => /headers?\.json$/.test(uri.path))?.setValue(text);
      },
      JSON.stringify({ 'X-API-KEY': key }),
    );
    await tab.locator('.graphiql-execute-button').click();
    await expect.poll(() => tab.locator('#status').innerText()).toContain('status 200');
    expect(await tab.locator('#note').isVisible()).toBe(false);
    await tab.goto(`${gateway.address}/graphql?token=${gateway.app.signInToken}`);
    await expect.poll(() => tab.locator('#problem').innerText()).toContain('Restart the gateway');
    await tab.getByText('.data/demo-key').waitFor();
    await tab.getByText('npx postern key create').waitFor();
    expect(await tab.getByRole('link', { name: 'open GraphiQL' }).getAttribute('href')).toBe('/graphql');
    expect(tab.url()).toBe(`${gateway.address}/graphql`);
    expect(await tab.content()).not.toContain(key);
    await other.close();
  });

  it('receives the events of a subscription, until it is stopped or another example is opened', async () => {
    const emit = exampleOf('EmitEvent');
    const isRunning = () => page.getByRole('button', { name: /^Stop query/ }).isVisible();
    const ended = () =>
      gateway.log.filter(({ operation, aborted }) => operation === 'WatchDeliveries' && aborted).length;
    for (const stop of [() => page.locator('.graphiql-execute-button').click(), () => openExample('PnetPosts')]) {
      const before = ended();
      await openExample('WatchDeliveries');
      await page.locator('.graphiql-execute-button').click();
      await expect
        .poll(async () => {
          await graphql(gateway.address, key, await exampleOperation(emit), emit.variables);
          return answer();
        })
        .toContain('"MESSAGE_RECEIVED"');
      await expect.poll(status).toMatch(/^status 200 · [\d,]+ ms · \d+ results? · request [\w-]{36}$/);
      expect(await isRunning()).toBe(true);
      const log = page.getByRole('region', { name: 'Results, newest first' });
      const numbers = async () =>
        (await log.getByRole('listitem').allInnerTexts()).map((text) => Number.parseInt(text, 10));
      const logged = await numbers();
      expect(logged).toEqual(Array.from(logged, (_, older) => logged.length - older));
      await log.locator('summary').last().click();
      expect(JSON.parse(await log.locator('pre').last().innerText())).toMatchObject({ data: { deliveryUpdated: {} } });
      await log.getByRole('button', { name: 'Clear' }).click();
      expect(await log.isVisible()).toBe(false);
      await stop();
      await expect.poll(isRunning).toBe(false);
      await expect.poll(ended).toBe(before + 1);
    }
    await expect.poll(answer).toBe('');
  });

  it('shows an error in place of a response', async () => {
    const proxy = { status: 502, contentType: 'text/html', body: '<p>Bad gateway' };
    await page.route('**/graphql', (route) => route.fulfill(proxy), { times: 1 });
    await runAndSee('status 502');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('502')]);
  });

  it('shares an operation by a link without its key, which runs nothing by itself', async () => {
    await openExample('TypedError');
    await page.getByRole('button', { name: 'Share' }).click();
    await expect.poll(status).toContain('Copied.');
    const link = await copied();
    expect(link).not.toContain(key);
    const { origin, pathname, search, hash } = new URL(link);
    expect(`${origin}${pathname}${search}`).toBe(`${gateway.address}/graphql`);
    expect(Object.fromEntries(new URLSearchParams(hash.slice(1)))).toEqual({
      query: await exampleOperation(exampleOf('TypedError')),
      variables: JSON.stringify(exampleOf('TypedError').variables, null, 2),
    });

    const other = await browser.newContext();
    const tab = await other.newPage();
    const sent: string[] = [];
    other.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
    await tab.goto(link);
    await editorIsThere(tab);
    await expect.poll(() => tab.locator('.graphiql-tab').allInnerTexts()).toEqual(['TypedError']);
    expect(tab.url()).toBe(`${gateway.address}/graphql`);
    expect(sent).toEqual([]);
    await other.close();

    // In the page itself, which is not loaded again.
    await openExample('WhoAmI');
    await page.evaluate((address) => location.assign(address), link);
    await hasRead('TypedError');
    expect(page.url()).toBe(`${gateway.address}/graphql`);
  });

  it.each([
    ['curl', /^curl -s '/],
    ['fetch', /await fetch\(/],
    ['TypeScript', /import type \{ TypedErrorQuery, TypedErrorQueryVariables \}/],
  ])('copies an operation as %s, without its key', async (name, expected) => {
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.locator('#copy').getByRole('button', { name, exact: true }).click();
    await expect.poll(copied).toMatch(expected);
    await expect.poll(status).toContain('POSTERN_KEY');
    expect(await copied()).toContain('POSTERN_KEY');
    expect(await copied()).not.toContain(key);
    // Node.js would print nested objects as `[Object]`.
    expect(await copied()).not.toContain('console.log(data');
  });

  it('explains the schema, for which it sends no request', async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const docs = page.locator('.graphiql-doc-explorer');
    await docs.getByText('Query', { exact: true }).click();
    await expect.poll(() => docs.innerText()).toContain('The API key of the request');
    expect(gateway.log.filter(({ operation }) => operation === 'IntrospectionQuery')).toEqual([]);
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
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

  it('stores the tabs and the history, but no key', async () => {
    // In the new tab, whose headers are its own.
    await runAndSee('Cannot query field');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);
    const history = () => page.evaluate(() => globalThis.localStorage['postern:graphiql:queries']);
    await expect.poll(history).toContain('Typed');
    expect(await history()).toContain('WatchDeliveries');
    // GraphiQL stores its tabs half a second after they change.
    await expect.poll(storedTabs).toContain('"title":"Typed"');
    expect(await page.evaluate(() => JSON.stringify(globalThis.localStorage))).not.toContain(key);
  });

  it('restores its state after a reload, and an operation from the history with the current key', async () => {
    expect(page.url()).toBe(`${gateway.address}/graphql`);
    await page.reload();
    await editorIsThere();
    await expect.poll(() => page.locator('.graphiql-tab').allInnerTexts()).toEqual(['TypedError', 'Typed']);
    await page.getByRole('button', { name: 'Show History' }).click();
    const runs = page.locator('.graphiql-history-item-label');
    const about = (name: string) => runs.filter({ hasText: name }).first().getAttribute('data-about');
    expect(await about('TypedError')).toMatch(/\d:\d\d.* · pnet-{17}A$/);
    expect(await about('WhoAmI')).toMatch(/\d:\d\d.* · 50$/);
    await runs.filter({ hasText: 'WhoAmI' }).first().click();
    await hasRead('WhoAmI');
    await runAndSee('"Demo"');
    await page.getByRole('button', { name: 'Hide History' }).click();
    await page.getByRole('button', { name: 'Close Tab' }).last().click();
    await expect.poll(storedTabs).not.toContain('query Typed ');
    expect(await page.evaluate(() => JSON.stringify(globalThis.localStorage))).not.toContain(key);
  });

  it('loads less than 1.21 MB on the first visit, and the workers of the editor when it is used', async () => {
    const other = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const tab = await other.newPage();
    const session = await other.newCDPSession(tab);
    await session.send('Network.enable');
    let bytes = 0;
    const startedBy = new Map<string, string>();
    session.on('Network.requestWillBeSent', ({ request, initiator }) => startedBy.set(request.url, initiator.type));
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const workers: string[] = [];
    tab.on('worker', (worker) => workers.push(worker.url()));
    await tab.goto(`${gateway.address}/graphql`, { waitUntil: 'networkidle' });
    await editorIsThere(tab);
    expect(bytes).toBeGreaterThan(500_000);
    expect(bytes).toBeLessThan(1_210_000);
    expect(workers).toEqual([]);
    // No module waits for another one that names it.
    const modules = await tab.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    for (const url of modules.filter((name) => name.endsWith('.js'))) expect(startedBy.get(url), url).toBe('parser');
    await tab.locator('.graphiql-query-editor .view-lines').click();
    await expect.poll(() => workers.length).toBeGreaterThan(0);
    await other.close();
  });

  it('keeps its key when the used link is opened again in the tab', async () => {
    await page.goto(`${gateway.address}/graphql?token=${gateway.app.signInToken}`);
    await page.waitForURL(`${gateway.address}/graphql`);
    await editorIsThere();
    await openExample('WhoAmI');
    await runAndSee('"Demo"');
    // The browser itself reports the exchange that was refused.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  describe('by keyboard', () => {
    /** What has the focus: its name, or the beginning of its text. */
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const { outlineStyle } = getComputedStyle(element);
        const name = element.getAttribute('aria-label') ?? element.innerText;
        return { name: name.trim().slice(0, 60), isVisible: outlineStyle !== 'none' };
      });

    async function tabTo(name: string | RegExp, direction = 'Tab'): Promise<number> {
      for (let stops = 1; stops < 30; stops += 1) {
        await page.keyboard.press(direction);
        const { name: reached, isVisible } = await focused();
        expect(isVisible, reached).toBe(true);
        if (typeof name === 'string' ? reached === name : name.test(reached)) return stops;
      }
      throw new Error(`No way leads to ${name}.`);
    }

    beforeEach(async () => {
      await page.reload();
      await editorIsThere();
    });

    it('reaches everything within some two dozen stops', async () => {
      // Behind the bar of all pages.
      expect(await tabTo('Examples')).toBeLessThan(8);
      expect(await tabTo('Result Window')).toBeLessThan(31);
    });

    it('chooses an example, runs it and reads its response', async () => {
      await tabTo('Examples');
      await page.keyboard.press('Enter');
      await expect.poll(focused).toMatchObject({ name: exampleOf('WhoAmI').title });
      await page.keyboard.press('ArrowUp');
      await expect.poll(focused).toMatchObject({ name: examples.at(-1)?.title });
      for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
      const { name } = await focused();
      const chosen = examples.find(({ title }) => title === name) as Example;
      await page.keyboard.press('Enter');
      await hasRead(chosen.name);
      await page.keyboard.press('Escape');
      await openExample('PnetPosts');
      await expect.poll(focused).toMatchObject({ name: expect.stringMatching(/^Execute query/) });
      await page.keyboard.press('Enter');
      await expect.poll(answer).toContain('"reactionCount"');
      await tabTo('Result Window');
    });

    it('enters the editors, and leaves them again', async () => {
      await tabTo('Enter edits, Escape leaves');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ControlOrMeta+Home');
      await page.keyboard.type('# typed ');
      await expect.poll(() => textIn('.graphiql-query-editor')).toContain('# typed ');
      await page.keyboard.press('Escape');
      await expect.poll(focused).toMatchObject({ name: 'Enter edits, Escape leaves' });
      await tabTo(/^Execute query/);
      await tabTo('Enter edits, Escape leaves', 'Shift+Tab');
    });
  });

  describe.each([
    [390, 844],
    [1280, 800],
  ])('%i pixels wide', (width, height) => {
    beforeAll(() => page.setViewportSize({ width, height }));

    it('fits', async () => {
      await page.reload();
      await editorIsThere();
      // It has variables: without any, their editor is folded away.
      await openExample('PnetPosts');
      await page.locator('.graphiql-execute-button').click();
      await expect.poll(answer).toContain('{');
      const overflow = () =>
        page.evaluate(() => [
          document.documentElement.scrollWidth - innerWidth,
          document.documentElement.scrollHeight - innerHeight,
        ]);
      await expect.poll(overflow).toEqual([0, 0]);
      for (const place of ['.graphiql-query-editor', '.graphiql-editor-tool', '.result-window', '#status']) {
        const box = await page.locator(place).boundingBox();
        expect(box?.height, place).toBeGreaterThan(place === '#status' ? 20 : 80);
        expect(box?.width, place).toBeGreaterThan(Math.min(300, width / 4));
      }
      // In one row.
      expect((await page.locator('#bar').boundingBox())?.height).toBeLessThan(60);
    });

    // The boxes are those of a width, and the colours are the same in each.
    it.each(width === 390 ? (['light'] as const) : (['dark'] as const))(
      'conforms to WCAG 2.2 A and AA (%s)',
      async (colorScheme) => {
        await page.emulateMedia({ colorScheme });
        await page.reload();
        await editorIsThere();
        // The reload may have come before the tabs were stored, and then an empty one is open.
        await openExample('PnetPosts');
        await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
        const found: string[] = [];
        const check = async (place: string) => {
          const { violations, passes } = await page.evaluate(
            async (): Promise<AxeResults> =>
              (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, {
                runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
              }),
          );
          expect(passes.length).toBeGreaterThan(10);
          for (const { id, nodes } of violations) found.push(...nodes.map(({ html }) => `${place}: ${id}: ${html}`));
        };
        await check('as it opens');
        await page.locator('.graphiql-execute-button').click();
        await expect.poll(answer).toContain('{');
        await check('with a response');
        await page.getByRole('button', { name: 'Examples' }).click();
        await check('the examples');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        await check('the documentation');
        await page.getByRole('button', { name: 'Show History' }).click();
        await check('the history');
        await page.getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
        await page.locator('.graphiql-explorer-root').waitFor();
        await check('the builder of operations');
        await page.getByRole('button', { name: 'Hide GraphiQL Explorer' }).click();
        await openExample('WatchDeliveries');
        await page.locator('.graphiql-execute-button').click();
        const emit = exampleOf('EmitEvent');
        await expect
          .poll(async () => {
            await graphql(gateway.address, key, await exampleOperation(emit), emit.variables);
            return page.locator('#log').isVisible();
          })
          .toBe(true);
        await page.locator('#log summary').first().click();
        await check('the results of a subscription');
        await page.locator('.graphiql-execute-button').click();
        await page.getByRole('button', { name: 'New tab', exact: true }).click();
        await check('two tabs');
        await page.getByRole('button', { name: 'Close Tab' }).last().click();
        await page.getByRole('button', { name: 'Open settings dialog' }).click();
        await check('the settings');
        await page.keyboard.press('Escape');
        const [other, theme] = colorScheme === 'light' ? (['dark', 'vs-dark'] as const) : (['light', 'vs'] as const);
        await page.emulateMedia({ colorScheme: other });
        await page.locator(`.result-window .monaco-editor.${theme}`).waitFor();
        await check('when the system changes its colours');
        expect(found).toEqual([]);
      },
    );
  });

  it('requested nothing from other origins, and logged no error', () => {
    expect(outside).toEqual([]);
    expect(complaints, refused.join('\n')).toEqual([]);
  });
});
