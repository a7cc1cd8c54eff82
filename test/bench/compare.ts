/** The comparison is fair only if all gateways return the same data, and the load generator looks at no response. */

import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';
import type { Query } from './operations.ts';
import type { Running } from './targets.ts';

/** A response without the values that each gateway chooses itself: global ids and cursors. */
async function comparable({ url, key }: Running, { text: query, prefix }: Query): Promise<string> {
  const { origin, pathname } = new URL(url);
  const client = new Client(origin);
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: pathname,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query, ...(prefix === null ? {} : { variables: { of: `${prefix}0` } }) }),
  });
  const text = await body.text();
  await client.close();
  if (statusCode !== 200 || text.includes('"errors":')) throw new Error(`${url}: ${text.slice(0, 500)}`);
  return JSON.stringify(JSON.parse(text), (key, value) => (key === 'id' || key === 'endCursor' ? '' : value));
}

/** @throws Error unless all gateways give the same response */
export async function requireSameResponses(gateways: readonly Running[], query: Query): Promise<void> {
  const responses = await Promise.all(gateways.map((gateway) => comparable(gateway, query)));
  if (new Set(responses).size > 1) {
    throw new Error(
      `The responses to "${query.title}" differ:\n${responses.map((text) => text.slice(0, 2_000)).join('\n')}`,
    );
  }
}

/** What Postern's log says of its last request: `yes`, or why it was not compiled. */
export async function lastCompiled({ logFile }: Pick<Running, 'logFile'>): Promise<string> {
  // The line is written when the response has been sent.
  await wait(100);
  const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '{}') as { compiled?: string };
  return last.compiled ?? 'no';
}
