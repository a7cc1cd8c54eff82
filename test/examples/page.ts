/** The page of an example for React in Chromium, in front of a gateway of the test. */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/process.ts';
import { chromium } from '../support/servers.ts';
import { type Server, serveExample } from './example.ts';

/** A server of the built page, with the proxy to the gateway and the key. */
export interface Site extends Server {
  /** From now on the proxy sends this key. */
  useKey(key: string): Promise<void>;
}

/** Serves the page of an example as it was built. */
export async function serveSite(
  example: string,
  gateway: { readonly address: string; readonly key: string },
  more: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const directory = await temporaryDirectory();
  const file = join(directory.path, 'key');
  const useKey = (key: string) => writeFile(file, key);
  await useKey(gateway.key);
  const environment = { POSTERN_URL: gateway.address, POSTERN_KEY: '', POSTERN_KEY_FILE: file, ...more };
  const server = await serveExample(example, 'preview', environment);
  return {
    ...server,
    useKey,
    async stop() {
      await server.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export const launch = (): Promise<Browser> =>
  launcher.launch({
    executablePath: chromium as string,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });

export interface Tab {
  readonly page: Page;
  /** What the page complained about: exceptions, and errors and warnings of React and the client. */
  readonly complaints: readonly string[];
  readonly posts: () => Promise<string[]>;
}

/** Opens a page, which is closed with the test. */
export async function openTab(context: BrowserContext, url: string): Promise<Tab> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The browser itself reports each response with an error and each connection that fails.
    const isOwn = !/Failed to load resource|WebSocket connection to/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && isOwn) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints, posts: () => page.locator('.feed article .text').allInnerTexts() };
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What is not accessible in a page, by WCAG 2.2 A and AA. */
export async function inaccessible(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, 'utf8'));
  const { violations, passes } = await page.evaluate(
    async (): Promise<AxeResults> =>
      (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run('html', {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      }),
  );
  expect(passes.length).toBeGreaterThan(5);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
