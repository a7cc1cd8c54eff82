/**
 * How long the page of GraphiQL takes in Chromium, from the navigation until its editor shows the first example, and how much
 * it transfers: on the first visit, and with what browsers keep of it. Loads are 700 ms apart.
 *
 * LOADS says how many there are with a cache. CHROMIUM is the path of the browser.
 */
import { type CDPSession, chromium as launcher, type Page } from 'playwright-core';
import { startGateway } from '../support/gateway.ts';
import { chromium } from '../support/servers.ts';
import { median } from './measure.ts';

const loads = Number(process.env.LOADS ?? 21);

interface Load {
  readonly ms: number;
  readonly bytes: number;
}

/** Runs in the page. Remembers when the editor has a text. */
function watchEditor(): void {
  const look = (): void => {
    const line = document.querySelector('.graphiql-query-editor .view-line');
    if (line?.textContent) performance.mark('interactive');
    else setTimeout(look, 2);
  };
  look();
}

async function measure(page: Page, session: CDPSession, load: () => Promise<unknown>): Promise<Load> {
  let bytes = 0;
  const count = ({ encodedDataLength }: { encodedDataLength: number }) => {
    bytes += encodedDataLength;
  };
  session.on('Network.loadingFinished', count);
  await load();
  await page.waitForFunction(() => performance.getEntriesByName('interactive').length > 0);
  // The workers and the schema come after the editor.
  await page.waitForTimeout(700);
  session.off('Network.loadingFinished', count);
  const ms = await page.evaluate(() => performance.getEntriesByName('interactive')[0]?.startTime ?? Number.NaN);
  return { ms, bytes };
}

if (chromium === undefined) throw new Error('There is no Chromium: set CHROMIUM to its path.');
const gateway = await startGateway({ environment: { DEMO: 'on' } });
const browser = await launcher.launch({
  executablePath: chromium,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
const session = await page.context().newCDPSession(page);
await session.send('Network.enable');
await page.addInitScript(watchEditor);

const show = (name: string, ms: number, bytes: number) =>
  process.stdout.write(
    `${name.padEnd(24)} ${ms.toFixed(0).padStart(6)} ms ${bytes.toLocaleString('en').padStart(12)} bytes\n`,
  );

const first = await measure(page, session, () => page.goto(`${gateway.address}/graphql`));
show('first visit', first.ms, first.bytes);
const warm: Load[] = [];
for (let count = 0; count < loads; count += 1) warm.push(await measure(page, session, () => page.reload()));
const times = warm.map(({ ms }) => ms);
show('later visits, median', median(times), median(warm.map(({ bytes }) => bytes)));
show('later visits, fastest', Math.min(...times), Math.min(...warm.map(({ bytes }) => bytes)));
await browser.close();
await gateway.close();
