/** The `tokens.ts` of the servers that call the gateway for visitors: a token that the gateway refuses is replaced once. */
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { fileOf } from './example.ts';

interface Tokens {
  withTokenOf(visitor: object, send: (token: string) => Promise<Response>): Promise<Response>;
}

let created = 0;
beforeEach(() => {
  created = 0;
  vi.stubEnv('POSTERN_KEY', 'key');
  vi.stubGlobal('fetch', async () => {
    created += 1;
    const expiresAt = new Date(Date.now() + 900_000).toISOString();
    return Response.json({ data: { createAccessToken: { token: `token ${created}`, expiresAt } } });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  });
});

test.each(['bff-hono', 'bff-stitching'])('a refused token is replaced once, in %s', async (example) => {
  const { withTokenOf }: Tokens = await import(fileOf(example, 'tokens.ts'));
  const grace = { accountIds: ['a'] };
  const sent: string[] = [];
  const gateway = (refused: RegExp) => async (token: string) => {
    sent.push(token);
    return new Response('{}', { status: refused.test(token) ? 401 : 200 });
  };
  // Requests at once share the new one as well.
  const both = [withTokenOf(grace, gateway(/1/)), withTokenOf(grace, gateway(/1/))];
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  expect(sent.toSorted()).toEqual(['token 1', 'token 1', 'token 2', 'token 2']);
  expect((await withTokenOf(grace, gateway(/1/))).status).toBe(200);
  expect(created).toBe(2);
  // Another one would be refused as well.
  expect((await withTokenOf(grace, gateway(/./))).status).toBe(401);
  expect(created).toBe(3);
});
