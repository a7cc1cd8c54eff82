/** Documents that describe the gateway: as they are printed, and asked for again by clients that have them. */
import { readFile } from 'node:fs/promises';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApiDocument } from '../../src/rest/openapi.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const documents = [
  ['/schema.graphql', 'text/plain; charset=utf-8'],
  ['/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/api/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
] as const;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(gateway.address + path, { method, headers });

test('the schema is that of schema.graphql, and the description of REST that of its tables', async () => {
  const sdl = await (await get('/schema.graphql')).text();
  expect(sdl).toBe(await readFile('schema.graphql', 'utf8'));
  expect(buildSchema(sdl).getQueryType()?.name).toBe('Query');
  expect(await (await get('/v1/openapi.json')).json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});

test('without introspection there is no schema', async () => {
  const closed = await startGateway({ environment: { INTROSPECTION: 'off' } });
  onTestFinished(() => closed.close());
  const response = await fetch(`${closed.address}/schema.graphql`);
  expect(response.status).toBe(404);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect((await fetch(`${closed.address}/v1/openapi.json`)).status).toBe(200);
});

describe.each(documents)('%s', (path, type) => {
  test('has an ETag, and is revalidated with each use', async () => {
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': type,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
    });
    expect((await get(path)).headers.get('etag')).toBe(headers.get('etag'));
  });

  test('is not sent to a client that has it', async () => {
    const etag = (await get(path)).headers.get('etag') ?? '';
    const strong = etag.replace('W/', '');
    for (const method of ['GET', 'HEAD']) {
      for (const known of [etag, strong, `"other", ${etag}`, `"a",${strong} , "b"`, '*']) {
        const response = await get(path, { 'if-none-match': known }, method);
        expect(response.status, known).toBe(304);
        expect(await response.text()).toBe('');
        expect(Object.fromEntries(response.headers)).toMatchObject({ etag, 'cache-control': 'no-cache' });
        expect(response.headers.get('content-encoding')).toBeNull();
      }
      for (const other of ['"other"', 'W/""', strong.slice(1), '']) {
        expect((await get(path, { 'if-none-match': other }, method)).status, other).toBe(200);
      }
    }
  });

  test('is the same text in every encoding', async () => {
    const [first, ...others] = await Promise.all(
      ['identity', 'gzip', 'br', 'gzip, br;q=0'].map(async (accepted) => {
        const response = await get(path, { 'accept-encoding': accepted });
        expect(response.headers.get('content-encoding')).toBe(accepted === 'identity' ? null : accepted.split(',')[0]);
        return response.text();
      }),
    );
    for (const text of others) expect(text).toBe(first);
  });
});
