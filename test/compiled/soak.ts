/**
 * A soak: `node test/compiled/soak.ts [minutes] [seed]`. Generated operations over generated pages, well-formed, odd and
 * hostile, go to two gateways, of which one compiles them. No response may differ, and no memory grow.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { median } from '../bench/measure.ts';
import { firstAnswer, type Installation, install, logFileOf, startPostern } from '../bench/postern.ts';
import { residentOf } from '../bench/process-figures.ts';
import { generatePage, listAt } from '../support/list-pages.ts';
import { temporaryDirectory } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { errorsInOrder } from './both-ways.ts';
import { generatedOperation, randomSeed } from './differential.ts';

const [minutes = 15, firstSeed = randomSeed()] = process.argv.slice(2).map(Number);
const clients = 8;
const reportMs = 30_000;

/** A page depends on nothing but its list, so that both gateways get the same. */
const service = createServer(({ url = '' }, response) => {
  const salt = [...url].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, firstSeed);
  const limit = Number(new URL(url, 'http://x').searchParams.get('limit'));
  const { body } = generatePage(seededRandom(salt), listAt(url), { limit });
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
});
service.listen(0, '127.0.0.1');
await once(service, 'listening');

interface Target {
  readonly url: string;
  readonly pid: number;
  readonly installation: Installation;
  readonly stop: () => void;
  readonly memory: number[];
}

await using directory = await temporaryDirectory();

async function start(compiled: 'on' | 'off'): Promise<Target> {
  const installation = await install(join(directory.path, compiled), {
    UPSTREAM_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    COMPILED_OPERATIONS: compiled,
  });
  const gateway = await startPostern(installation, { onOneCore: false });
  await firstAnswer(gateway, { query: '{ __typename }' });
  const { url, process: child } = gateway;
  return { url, pid: child.pid ?? 0, installation, stop: () => void child.kill(), memory: [] };
}

const agent = new Agent({ keepAlive: true });

async function ask({ url }: Target, id: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'their-key', 'x-request-id': id };
  const sent = request(url, { method: 'POST', headers, agent }).end(body);
  const [response] = await once(sent, 'response');
  let came = '';
  for await (const chunk of response.setEncoding('utf8')) came += chunk;
  return `${response.statusCode} ${response.headers['content-type']}\n${errorsInOrder(came)}`;
}

const targets = await Promise.all([start('on'), start('off')]);
const endsAt = performance.now() + minutes * 60_000;
let seed = firstSeed;
let refused = 0;
const different: number[] = [];

async function client(): Promise<void> {
  while (performance.now() < endsAt) {
    const own = seed;
    seed += 1;
    const { query, operationName, variables } = generatedOperation(own);
    const body = JSON.stringify({ query, operationName, variables });
    const [on, off] = await Promise.all(targets.map((target) => ask(target, `seed-${own}-of-the-soak`, body)));
    if (on === off) continue;
    // Too many failures of an account: when a circuit opens is a matter of a moment.
    if ([on, off].some((text) => text?.includes('SERVICE_UNAVAILABLE'))) refused += 1;
    else different.push(own);
  }
}

const report = setInterval(() => {
  for (const { memory, pid } of targets) memory.push(residentOf(pid));
  const memory = targets.map((target) => Math.round(target.memory.at(-1) ?? 0));
  process.stdout.write(`${seed - firstSeed} operations, ${memory.join(' and ')} MiB, ${different.length} different\n`);
}, reportMs);
await Promise.all(Array.from({ length: clients }, client));
clearInterval(report);

for (const [name, { memory, installation }] of Object.entries({ compiled: targets[0], executed: targets[1] })) {
  const third = Math.ceil(memory.length / 3);
  const parts = [memory.slice(third, 2 * third), memory.slice(2 * third)].map((part) => Math.round(median(part)));
  const lines = (await readFile(logFileOf(installation), 'utf8')).split('"compiled":"yes"').length - 1;
  process.stdout.write(`${name}: ${parts.join(' → ')} MiB, from the second third to the last; ${lines} ran compiled\n`);
}
process.stdout.write(
  `Seed ${firstSeed}: ${seed - firstSeed} operations, ${refused} refused by one, ${different.length} different ${different.slice(0, 10)}\n`,
);
for (const { stop } of targets) stop();
service.close();
agent.destroy();
process.exitCode = different.length === 0 ? 0 : 1;
