/** `npm run screenshots` takes the pictures of the documentation: real pages of gateways that it starts. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium as launcher, type Page } from 'playwright-core';
import { type ExampleGroup, exampleGroups } from '../../src/pages/graphiql/examples.ts';
import { databases } from './databases.ts';
import { startDelivering } from './deliveries.ts';
import { startGateway } from './gateway.ts';
import { startReceiver } from './receiver.ts';
import { chromium } from './servers.ts';

const folder = join(import.meta.dirname, '../../docs/images');
const hourMs = 3_600_000;

const groups: readonly ExampleGroup[] = exampleGroups;
const example = groups.flatMap(({ examples }) => examples).find(({ name }) => name === 'FeedOfBoth');
if (example === undefined) throw new Error('There is no example Feed');
const { title } = example;

const takePicture = (page: Page, name: string) => page.screenshot({ path: join(folder, `${name}.png`) });

/** GraphiQL with an example that was run. */
async function takeGraphiQL(page: Page): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const gateway = await startGateway({ environment: { DEMO: 'on', LOG_LEVEL: 'silent' } });
  stack.defer(gateway.close);
  await page.goto(`${gateway.address}/graphql?token=${gateway.app.signInToken}`);
  await page.locator('.graphiql-tab', { hasText: 'WhoAmI' }).waitFor();
  await page.waitForTimeout(2_000);
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('button', { name: title, exact: true }).click();
  await page.locator('.graphiql-tab', { hasText: 'Feed' }).waitFor();
  await page.locator('.graphiql-execute-button').click();
  await page.locator('#status', { hasText: '200' }).waitFor();
  await page.waitForTimeout(1_000);
  await takePicture(page, 'graphiql');
}

/** The webhooks page after a day: one destination that works, and one that was away for a while. */
async function takeWebhooksPage(page: Page): Promise<void> {
  const [sqlite] = databases;
  if (sqlite === undefined) throw new Error('There is no database');
  await using stack = new AsyncDisposableStack();
  const receiver = await startReceiver();
  stack.defer(receiver.close);
  const gateway = await startDelivering({ dialect: sqlite, environment: { LOG_LEVEL: 'silent' } });
  stack.defer(gateway.close);
  gateway.clock.now = new Date(Date.now() - 23 * hourMs);
  await gateway.webhook(`${receiver.address}/crm`, { name: 'CRM' });
  await gateway.webhook('http://127.0.0.1:9/', { name: 'Warehouse', enabled: 0 });
  for (let hour = 0; hour < 24; hour += 1) {
    const isAway = hour === 14 || hour === 15;
    receiver.answer = (_request, response) => void response.writeHead(isAway ? 503 : 204).end();
    for (let n = 0; n < 4 + ((hour * 7) % 13); n += 1) await gateway.emit(`${hour} ${n}`);
    await gateway.pass(0);
    if (hour < 23) await gateway.pass(hourMs);
  }
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  await gateway.emit('last');
  await gateway.pass(0);
  await page.goto(`${gateway.address}/webhooks`);
  await page.getByLabel('API key').fill(gateway.space.key);
  await page.keyboard.press('Enter');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.waitForTimeout(1_000);
  await takePicture(page, 'webhooks-page');
}

await mkdir(folder, { recursive: true });
const browser = await launcher.launch({
  ...(chromium === undefined ? {} : { executablePath: chromium }),
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  for (const take of [takeGraphiQL, takeWebhooksPage]) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 720 }, colorScheme: 'light' });
    await take(await context.newPage());
    await context.close();
  }
} finally {
  await browser.close();
}
