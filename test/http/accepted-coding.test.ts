/** Codings of static files, as clients accept them. */
import { expect, onTestFinished, test } from 'vitest';
import { acceptedCoding } from '../../src/http/static-files.ts';
import { startGateway } from '../support/gateway.ts';

test.each<readonly [string | undefined, string | null]>([
  [undefined, null],
  ['', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP;q=0.5', 'gzip'],
  ['zstd;q=0.1, gzip', 'gzip'],
  ['gzip;q=0', null],
  ['gzip; q=0.0, *', 'zstd'],
  ['*;q=0', null],
  ['deflate, br', null],
  ['identity, gzip;q=0.5', null],
  ['identity;q=0.5, gzip', 'gzip'],
  ['gzip;q=x', null],
])('of "%s" the coding is %s', (header, coding) => {
  expect(acceptedCoding(header, ['zstd', 'gzip'])).toBe(coding);
});

test('documents that change with the program only are compressed, and responses never', async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { key, account } = await gateway.workspace();
  const codingOf = async (path: string) => {
    const response = await fetch(gateway.address + path, {
      headers: { 'x-api-key': key, 'accept-encoding': 'br, gzip' },
    });
    await response.body?.cancel();
    return [response.headers.get('content-encoding'), response.headers.get('vary')];
  };
  for (const path of ['/v1/openapi.json', '/schema.graphql'])
    expect(await codingOf(path)).toEqual(['br', 'accept-encoding']);
  const posts = `/v1/users/ACoSandbox250/posts?account_id=${await account()}&limit=40`;
  expect(await codingOf(posts)).toEqual([null, null]);
});
