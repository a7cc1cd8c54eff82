/** Pictures of the sandbox networks: every address of one leads to it, and a name is not written into it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sandboxNetworks } from '../../../src/providers/sandbox/networks.ts';
import { pictureOf, withPictures } from '../../../src/providers/sandbox/pictures.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { list, listed } from '../../support/sandbox.ts';

const address = 'http://gateway.test:4000';
const clock = () => new Date();
// @ts-expect-error: a provider under a key that is no account type would never be called.
const _unknown = () => withPictures({ ...sandboxNetworks({ clock }), CLIPNET: pictured.PHOTONET }, null);

const pictured = withPictures(sandboxNetworks({ clock: () => new Date('2026-11-20T12:00:00Z') }), address);
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ environment: { DEMO: 'on', PUBLIC_URL: address } });
});
afterAll(() => gateway.close());

/** Every address of a picture in the first pages of all identifiers. */
async function pictures(): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { identifier, row } of listed) {
    const network = 'providerId' in row ? pictured.PHOTONET : pictured.PNET;
    const { items } = await list(network, identifier, { isCompany: /^\d/.test(identifier) });
    const text = JSON.stringify(items);
    expect(text).not.toMatch(/(?:media\.pnet|cdn\.photonet)\.example[^"]*\.(?:jpg|webp)/);
    for (const [found_] of text.matchAll(/http:\/\/gateway\.test[^"]*/g)) found.add(found_);
  }
  return found;
}

it('are where the posts say', async () => {
  const all = [...(await pictures())];
  expect(all.length).toBeGreaterThan(100);
  for (const picture of all)
    expect(pictureOf(new URL(picture).pathname.split('/').at(-1) ?? ''), picture).toMatch(/^<svg /);
  const [first = ''] = all;
  const response = await fetch(first.replace(address, gateway.address));
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/svg+xml',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  });
  expect(await response.text()).toBe(pictureOf(first.split('/').at(-1) ?? ''));
});

it.each([
  '',
  'square-.svg',
  'round-one.svg',
  'square-<script>.svg',
  'square-one.png',
  `square-${'x'.repeat(81)}.svg`,
  'constructor-one.svg',
])('are not found under %s', async (file) => {
  expect(pictureOf(file)).toBeNull();
  if (file !== '')
    expect((await fetch(`${gateway.address}/sandbox/pictures/${encodeURIComponent(file)}`)).status).toBe(404);
});

it('are not served where there is no demo', async () => {
  const plain = await startGateway({ environment: { DEMO: 'off' } });
  try {
    expect((await fetch(`${plain.address}/sandbox/pictures/square-one.svg`)).status).toBe(404);
  } finally {
    await plain.close();
  }
});
