/** Two gateways that are restarted in turn, behind clients that ask `/readyz` as a load balancer does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { demoId } from '../src/app/demo.ts';
import { type Started, startProcess, temporaryDirectory } from './support/process.ts';
import { freePort } from './support/reverse-proxy.ts';

const probeMs = 100;
/** Many probes: a machine that is busy may be late with some. */
const delayMs = 3_000;
/** Of the requests at a time some take their time, so that there are always some in flight. */
const clients = 16;
const document = (slow: boolean) =>
  `{ posts(accountId: "${demoId('pnet')}", identifier: "ACoSandbox${slow ? 'Slow' : '250'}", first: 1) {
    nodes { ... on PnetPost { id } } } }`;

let started: Started[] = [];
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  started = [];
});

test('no request fails while gateways are restarted one after the other', { timeout: 60_000 }, async () => {
  await using directory = await temporaryDirectory();
  const agent = new Agent({ connections: clients });
  const gateways: { process: Started; address: string; ready: boolean }[] = [];
  async function start(port: string) {
    const environment = {
      PORT: port,
      DATABASE_URL: `sqlite:${join(directory.path, 'postern.db')}`,
      SHUTDOWN_DELAY_MS: String(delayMs),
    };
    const process = startProcess('src/app/main.js', [], environment, directory.path);
    started.push(process);
    const [, address] = await process.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
    return { process, address: address as string, ready: true };
  }
  for (let n = 0; n < 2; n += 1) gateways.push(await start(String(await freePort())));
  const key = readFileSync(join(directory.path, 'demo-key'), 'utf8').trim();

  let running = true;
  const failures: unknown[] = [];
  let served = 0;
  async function probe(gateway: (typeof gateways)[number]) {
    const response = await fetch(`${gateway.address}/readyz`, { dispatcher: agent }).catch(() => null);
    await response?.body?.cancel();
    gateway.ready = response?.status === 200;
  }
  async function probes() {
    for (; running; await sleep(probeMs)) await Promise.all(gateways.map(probe));
  }
  async function client(n: number) {
    for (let at = n; running; at += 1) {
      const ready = gateways.filter((gateway) => gateway.ready);
      const { address } = ready[at % ready.length] ?? { address: 'http://nobody.invalid' };
      try {
        const response = await fetch(`${address}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': key },
          body: JSON.stringify({ query: document(n % 4 === 0) }),
          dispatcher: agent,
        });
        const text = await response.text();
        if (response.status === 200 && !text.includes('"errors"')) served += 1;
        else failures.push([response.status, text]);
      } catch (error) {
        failures.push(error);
      }
      await sleep(5);
    }
  }
  const load = [probes(), ...Array.from({ length: clients }, (_, n) => client(n))];
  try {
    for (const gateway of gateways) {
      await sleep(3 * probeMs);
      gateway.process.child.kill('SIGTERM');
      expect((await gateway.process.ended).code).toBe(0);
      Object.assign(gateway, await start(new URL(gateway.address).port), { ready: false });
      await expect.poll(() => gateway.ready).toBe(true);
    }
  } finally {
    running = false;
    await Promise.all(load);
  }
  await agent.close();
  expect(failures).toEqual([]);
  expect(served).toBeGreaterThan(500);
});
