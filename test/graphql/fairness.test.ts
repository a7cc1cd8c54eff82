/** Operations that are ready together take turns: whoever asks for little does not wait for those who ask for much. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startBothWays } from '../compiled/both-ways.ts';
import { json, pnetPost, postList } from '../support/stub.ts';

const attachments = Array.from({ length: 40 }, (_, at) => ({
  id: `a${at}`,
  type: 'img',
  url: `https://pnet.example/${at}`,
  size: { width: 1, height: 1 },
  sticker: false,
  unavailable: false,
}));
const large = postList(Array.from({ length: 100 }, (_, at) => pnetPost(String(at), { attachments })));

const posts = (identifier: string, fields: string) => ({
  query: `{ posts(accountId: "a1", identifier: "${identifier}") { nodes { ... on PnetPost { ${fields} } } } }`,
});
const heavy = posts('ACoLarge', 'id text attachments { providerId url width height }');

it('a small request that comes when 24 heavy ones are ready overtakes most of them', { timeout: 60_000 }, async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { off, stub } = await startBothWays(async ({ path }, response) => {
    if (!path.includes('ACoLarge')) return json(response, 200, postList([pnetPost('1')]));
    await held;
    json(response, 200, large);
  });
  const ask = async (key: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const response = await fetch(`${off.address}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await response.text()).toContain('"nodes":[{"id"');
  };
  await ask('light', posts('ACoSmall', 'id'));
  let ended = 0;
  const all = Array.from({ length: 24 }, () =>
    ask('heavy', heavy).then(() => {
      ended += 1;
    }),
  );
  // One call, which all of them wait for: its response makes them ready at once.
  await expect.poll(() => stub.received.filter(({ path }) => path.includes('ACoLarge')).length).toBe(1);
  await sleep(500);
  const small = ask('light', posts('ACoSmall', 'id'));
  release();
  await small;
  expect(ended).toBeLessThan(12);
  await Promise.all(all);
});
