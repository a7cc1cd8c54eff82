/** What the first visit of a page costs: what is transferred, what blocks its first paint, and that nothing moves. */
import { readFile } from 'node:fs/promises';
import { type Browser, chromium as launcher } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from './support/gateway.ts';
import { chromium } from './support/servers.ts';

const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800"/>';

describe.skipIf(!chromium)('the first visit', () => {
  let gateway: Gateway;
  let key: string;
  let browser: Browser;

  beforeAll(async () => {
    gateway = await startGateway({ environment: { DEMO: 'on', LOG_LEVEL: 'silent' } });
    key = (await readFile(`${gateway.directory}/demo-key`, 'utf8')).trim();
    browser = await launcher.launch({
      executablePath: chromium as string,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  it.each([
    ['/', 'text=Demo key'],
    ['/docs', 'text=Demo key'],
    ['/docs/use/errors', 'text=Demo key'],
    ['/webhooks', '#live:text("Live")'],
    ['/jobs-and-posts', 'text=A picture.'],
  ])('of %s is small, paints early and moves nothing', async (path, ready) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addInitScript((given) => {
      sessionStorage.setItem('postern:demo-key', given);
      const seen = { shift: 0 };
      Object.assign(globalThis, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value;
      }).observe({ type: 'layout-shift', buffered: true });
    }, key);
    // The networks have their pictures elsewhere.
    await context.route(/\.(?:jpe?g|png)$/, (route) => route.fulfill({ contentType: 'image/svg+xml', body: picture }));
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${gateway.address}${path}`, { waitUntil: 'load' });
    await page.locator(ready).first().waitFor();
    const { shift, blocking, paintedMs } = await page.evaluate(() => ({
      shift: (globalThis as unknown as { seen: { shift: number } }).seen.shift,
      blocking: (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter((entry) => (entry as unknown as { renderBlockingStatus: string }).renderBlockingStatus === 'blocking')
        .map(({ name, transferSize }) => ({ name: new URL(name).pathname, transferSize })),
      paintedMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    }));
    const blockingBytes = blocking.reduce((sum, { transferSize }) => sum + transferSize, 0);
    const figures = { bytes, blocking: blocking.length, blockingBytes, shift, paintedMs: Math.round(paintedMs ?? -1) };
    process.stdout.write(`${path} ${JSON.stringify(figures)}\n`);
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThanOrEqual(250_000);
    expect(shift).toBeLessThan(0.01);
    // The time of the first paint is the machine's; what it waits for is the page's.
    expect(paintedMs).toBeDefined();
    expect(blocking.map(({ name }) => name).filter((name) => !name.endsWith('.css'))).toEqual([]);
    expect(blocking.length).toBeLessThanOrEqual(3);
    expect(blockingBytes).toBeLessThanOrEqual(15_000);
    await context.close();
  });
});
