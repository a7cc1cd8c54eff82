/** The process of the bench of stalls that asks `/livez`: every 5 ms, on one connection. */
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

const address = process.argv[2] ?? '';
const dispatcher = new Agent({ pipelining: 1 });
const times: number[] = [];
let stopped = false;
process.once('message', () => {
  stopped = true;
});

async function ask(): Promise<number> {
  const began = performance.now();
  const { body } = await request(`${address}/livez`, { dispatcher });
  await body.dump();
  return performance.now() - began;
}

for (let n = 0; n < 20; n += 1) await ask();
process.send?.('ready');
while (!stopped) {
  times.push(await ask());
  await pause(5);
}
await dispatcher.close();
process.send?.(times, () => process.disconnect?.());
