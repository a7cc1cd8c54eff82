/**
 * Delivers to a destination beside eight whose names are never answered, with the name server that resolv.conf names.
 * To be run in namespaces of its own, because it takes port 53 of loopback:
 *
 *   unshare --mount --net node test/support/hanging-names.ts
 *
 * It writes how many milliseconds sixty deliveries took to arrive.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchGateway } from '../bench/gateway.ts';
import { startNameServer } from './name-server.ts';
import { startReceiver } from './receiver.ts';

const limitMs = 20_000;
const directory = mkdtempSync(join(tmpdir(), 'postern-names-'));
writeFileSync(join(directory, 'resolv.conf'), 'nameserver 127.0.0.1\n');
execFileSync('mount', ['--bind', join(directory, 'resolv.conf'), '/etc/resolv.conf']);
execFileSync('ip', ['link', 'set', 'lo', 'up']);

const server = await startNameServer(53);
const hanging = Array.from({ length: 8 }, (_, n) => `hangs-${n}.example`);
server.names = { 'good.example': ['127.0.0.1'], ...Object.fromEntries(hanging.map((name) => [name, null])) };
const receiver = await startReceiver();
const gateway = await benchGateway(`sqlite:${join(directory, 'postern.db')}`);
for (const name of hanging) await gateway.webhook(`http://${name}:${receiver.port}/`);
for (let n = 0; n < 8; n += 1) await gateway.emit(`before ${n}`);
await gateway.webhook(`http://good.example:${receiver.port}/`);
const began = performance.now();
for (let n = 0; n < 60; n += 1) await gateway.emit(n);
await Promise.race([receiver.waitFor(60), new Promise((resolve) => setTimeout(resolve, limitMs))]);
process.stdout.write(`${JSON.stringify({ arrived: receiver.received.length, ms: performance.now() - began })}\n`);
rmSync(directory, { recursive: true });
process.exit();
