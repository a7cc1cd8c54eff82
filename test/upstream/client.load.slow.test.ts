import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { breakOff, expectRecovered, healthy, posts, setUp, timers } from '../support/faults.ts';
import { json, type Respond } from '../support/stub.ts';

test('requests at once of which many fail leave no timer, connection or memory behind', async () => {
  const setup = await setUp({ UPSTREAM_TIMEOUT_MS: '3000', UPSTREAM_CONNECTIONS: '40' });
  const faults: Respond[] = [healthy, breakOff, (_request, response) => json(response, 200, '{'), healthy];
  const storm = async () => {
    setup.stub.respond = (request, response) => faults[setup.stub.received.length % faults.length]?.(request, response);
    await Promise.all(Array.from({ length: 400 }, (_, n) => setup.gateway.ask(posts, { of: `ACo${n}` })));
    setup.stub.received.length = 0;
    setup.gateway.log.length = 0;
    setup.gateway.clock.now = new Date(setup.gateway.clock.now.getTime() + 60_000);
  };
  await storm();
  const [heap, ticking] = [settledHeap(), timers()];
  for (let round = 0; round < 2; round += 1) await storm();
  expect(settledHeap() - heap).toBeLessThan(4 * 1024 * 1024);
  expect(timers()).toBeLessThanOrEqual(ticking + 2);
  expect(setup.stub.sockets.size).toBeLessThanOrEqual(40);
  await expectRecovered(setup);
});
/** Bytes of the heap that are in use, without garbage. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let n = 0; n < 3; n += 1) collect();
  return process.memoryUsage().heapUsed;
}
