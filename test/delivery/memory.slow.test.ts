/** A process with a small heap delivers more bytes than it can hold. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const program = new URL('../support/crashing-gateway.ts', import.meta.url).pathname;
const mebibyte = 1024 * 1024;

/** The most memory that a process had, in MiB; Linux alone tells. */
const peakOf = ({ pid }: ChildProcess): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe.each(databases)('a heap of 128 MiB, on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    receiver = await startReceiver();
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await gateway.close();
    await receiver.close();
  });

  it('delivers 210 payloads of 0.9 MiB', { timeout: 60_000 }, async () => {
    const [events, webhooks] = [6, 35];
    const arrived = new Set<string | string[] | undefined>();
    const all = new Promise<void>((resolve) => {
      receiver.answer = ({ headers }, response) => {
        receiver.received.length = 0;
        response.end();
        arrived.add(headers['webhook-id']);
        if (arrived.size === events * webhooks) resolve();
      };
    });
    for (let n = 0; n < webhooks; n += 1) await gateway.webhook(receiver.address);
    for (let n = 0; n < events; n += 1) await gateway.emit('x'.repeat(0.9 * mebibyte));
    child = spawn(process.execPath, ['--max-old-space-size=128', program, gateway.databaseUrl, '', '0'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    child.stdin?.write('start');
    await all;
    if (platform() === 'linux') expect(peakOf(child)).toBeLessThan(512);
  });
});
