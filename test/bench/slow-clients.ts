/**
 * The memory that responses hold while their clients do not read, and after these have gone. The network takes the first
 * megabytes of each; what is beyond waits in the gateway.
 *
 * `npx node test/bench/slow-clients.ts [connections]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const connections = Number(process.argv[2] ?? 60);

const child = fork(new URL('./worst-operation/gateway.ts', import.meta.url), { execArgv: ['--expose-gc'] });
const [started] = await once(child, 'message');
const { address = '', key = '', webhookId } = started as Record<string, string>;

/** Resident memory of the gateway in MB, after garbage collection. */
async function memory(): Promise<number> {
  child.send('reset');
  await once(child, 'message');
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

const aliases = Array.from({ length: 20 }, (_, n) => `d${n}: data`).join(' ');
const query = `{ webhook(webhookId: "${webhookId}") { deliveries(first: 250) { nodes { ${aliases} } } } }`;
const body = JSON.stringify({ query });
const headers = { 'content-type': 'application/json', 'x-api-key': key };
const lines = Object.entries({ host: 'x', ...headers, 'content-length': body.length });
const request = `POST /graphql HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;

const whole = await fetch(`${address}/graphql`, { method: 'POST', headers, body });
process.stdout.write(`${connections} responses of ${(await whole.arrayBuffer()).byteLength} bytes\n`);
process.stdout.write(`${await memory()} MB before\n`);
const clients = Array.from({ length: connections }, () => connect(Number(new URL(address).port), '127.0.0.1').pause());
for (const client of clients) {
  client.on('error', () => undefined).write(request);
  await sleep(200);
}
await sleep(2_000);
process.stdout.write(`${await memory()} MB while they wait\n`);
for (const client of clients) client.destroy();
await sleep(1_000);
process.stdout.write(`${await memory()} MB after they have gone\n`);
child.kill();
