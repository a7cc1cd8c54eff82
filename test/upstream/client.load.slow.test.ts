import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { breakOff, expectRecovered, healthy, type ProxyGateway, posts, setUp, timers } from '../support/faults.ts';
import { json, type Respond } from '../support/stub.ts';

describe('a thousand requests at once', () => {
  const crowd = (gateway: ProxyGateway, of: (n: number) => string, key?: (n: number) => string) =>
    Promise.all(
      Array.from({ length: 1_000 }, async (_, n) => {
        const { data, errors } = await gateway.ask(posts, { of: of(n) }, key?.(n));
        expect(errors).toEqual([]);
        expect(data.posts.nodes).toEqual([{ providerId: of(n) }]);
      }),
    );

  test('share the connections, and each gets its own response', async () => {
    const setup = await setUp({ UPSTREAM_CONNECTIONS: '40' });
    await crowd(setup.gateway, (n) => `ACo${n}`);
    expect(setup.stub.received).toHaveLength(1_000);
    expect(setup.stub.connections).toBeLessThanOrEqual(40);
    await expectRecovered(setup);
  });

  test('for the same page share calls, but never with another key', async () => {
    const setup = await setUp({ UPSTREAM_CONNECTIONS: '40' }, (request, response) => {
      // Longer than a busy machine takes to begin some hundred requests.
      setTimeout(healthy, 500, request, response);
    });
    await crowd(
      setup.gateway,
      () => 'ACo1',
      (n) => `key-${n % 4}`,
    );
    const ofKey = Map.groupBy(setup.stub.received, ({ headers }) => headers['x-api-key']);
    expect([...ofKey.keys()].sort()).toEqual(['key-0', 'key-1', 'key-2', 'key-3']);
    expect(setup.stub.received.length).toBeLessThan(400);
    await expectRecovered(setup);
  });

  test('of which many fail leave no timer, connection or memory behind', async () => {
    const setup = await setUp({ UPSTREAM_TIMEOUT_MS: '3000', UPSTREAM_CONNECTIONS: '40' });
    const faults: Respond[] = [healthy, breakOff, (_request, response) => json(response, 200, '{'), healthy];
    const storm = async () => {
      setup.stub.respond = (request, response) =>
        faults[setup.stub.received.length % faults.length]?.(request, response);
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
});

/** Bytes of the heap that are in use, without garbage. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let n = 0; n < 3; n += 1) collect();
  return process.memoryUsage().heapUsed;
}
