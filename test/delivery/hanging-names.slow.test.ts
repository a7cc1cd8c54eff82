/** Destinations whose names no name server answers for: they hold up no other. */
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { hasNamespaces } from '../support/servers.ts';

const hanging = Array.from({ length: 8 }, (_, n) => `hangs-${n}.example`);

describe.each(databases)('names that hang, on $name', (dialect) => {
  let server: NameServer;
  let receiver: Receiver;
  let gateway: DeliveringGateway;

  beforeEach(async () => {
    server = await startNameServer();
    server.names = { 'good.example': ['127.0.0.1'], ...Object.fromEntries(hanging.map((name) => [name, null])) };
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await gateway.close();
    await receiver.close();
    await server.close();
  });

  it('hold up none of sixty deliveries to a good one', async () => {
    gateway = await startDelivering({ dialect, tuning: { dnsServers: [server.address] } });
    for (const name of hanging) await gateway.webhook(`http://${name}:${receiver.port}/`);
    for (let n = 0; n < 8; n += 1) await gateway.emit(`before ${n}`);
    await gateway.webhook(`http://good.example:${receiver.port}/`);
    const began = performance.now();
    for (let n = 0; n < 60; n += 1) await gateway.emit(n);
    await receiver.waitFor(60);
    expect(performance.now() - began).toBeLessThan(5_000);
    // One lookup for each name, however many deliveries wait for it, with a repetition each second.
    for (const name of hanging) {
      expect(server.asked.filter((question) => question === `A ${name}`).length).toBeLessThanOrEqual(5);
    }
  });
});

const program = new URL('../support/hanging-names.ts', import.meta.url).pathname;

it.runIf(hasNamespaces)(
  'names that hang hold up nothing with the name servers of resolv.conf',
  { timeout: 60_000 },
  () => {
    const { stdout } = spawnSync('unshare', ['--mount', '--net', process.execPath, program], { encoding: 'utf8' });
    const { arrived, ms } = JSON.parse(stdout);
    expect(arrived).toBe(60);
    expect(ms).toBeLessThan(5_000);
  },
);
