/**
 * How long a list holds the event loop, at every place of the GraphQL schema that takes one: the longest that is let
 * through, and as many entries as a body has room for. A figure is the best of several runs, as other work on the machine
 * can only add.
 *
 * `npx node test/bench/long-lists.ts`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { maxJsonEntries } from '../../src/kernel/lib/json-text.ts';
import { fields } from '../support/hostile-inputs.ts';

const runs = 3;

/** Entries, by what a list may be of; the place decides which are valid. */
const entries: readonly unknown[] = ['acc-----------------A', '', 1, {}, [], null, 'MESSAGE_RECEIVED'];

const child = fork(new URL('./worst-operation/gateway.ts', import.meta.url));
const [started] = await once(child, 'message');
const { address, key } = started as Record<string, string>;
const pool = new Pool(address as string);

/** @returns milliseconds of CPU time that the event loop did not turn */
async function heldBy(body: string): Promise<{ ms: number; status: number }> {
  child.send('reset');
  await once(child, 'message');
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const response = await pool.request({ method: 'POST', path: '/graphql', headers, body });
  await response.body.dump();
  child.send('held');
  const [ms] = (await once(child, 'message')) as [number];
  return { ms, status: response.statusCode };
}

async function best(body: string): Promise<{ ms: number; status: number }> {
  let least = await heldBy(body);
  for (let run = 1; run < runs && least.ms > 20; run += 1) {
    const again = await heldBy(body);
    if (again.ms < least.ms) least = again;
  }
  return least;
}

const worst = { through: 0, beyond: 0 };
try {
  for (const { name, document, places } of fields) {
    for (const place of places) {
      if (place.kind !== 'list') continue;
      const seen = { through: 0, beyond: 0 };
      for (const entry of entries) {
        const room = Math.floor((maxBodyBytes - 4_096) / (JSON.stringify(entry).length + 1));
        for (const [which, count] of [
          ['through', maxJsonEntries],
          ['beyond', room],
        ] as const) {
          const variables = place.with(new Array<unknown>(count).fill(entry));
          const { ms } = await best(JSON.stringify({ query: document, variables }));
          seen[which] = Math.max(seen[which], ms);
          worst[which] = Math.max(worst[which], ms);
        }
      }
      process.stdout.write(
        `${seen.through.toFixed(0)} ms for ${maxJsonEntries} entries, ${seen.beyond.toFixed(0)} ms for a full body: ${name}(${place.name})\n`,
      );
    }
  }
  process.stdout.write(`The worst: ${worst.through.toFixed(0)} ms and ${worst.beyond.toFixed(0)} ms\n`);
} finally {
  await pool.close();
  child.kill();
}
