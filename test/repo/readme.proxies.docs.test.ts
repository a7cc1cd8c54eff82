/** nginx and Caddy with the README's configurations, in front of gateways. */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { snippet } from '../support/docs.ts';
import { startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { open, type ReverseProxy, send, startCaddy, startNginx } from '../support/reverse-proxy.ts';
import { hasCaddy, hasNginx } from '../support/servers.ts';

// Each test starts processes or gateways.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const proxies = [
  { name: 'nginx', isHere: hasNginx, start: startNginx, language: 'nginx' },
  { name: 'Caddy', isHere: hasCaddy, start: startCaddy, language: 'caddyfile' },
];

const [sqlite] = databases;
if (sqlite === undefined) throw new Error('There is no database');

const portOf = (address: string): number => Number(new URL(address).port);
const json = { 'content-type': 'application/json' };
const keyless = JSON.stringify({ query: '{ __typename }' });

for (const { name, isHere, start, language } of proxies) {
  describe.skipIf(!isHere)(name, () => {
    const configuration = snippet('Deployment', language);
    const startProxy = (...ports: [number, number]) => start(configuration, ports);

    describe('in front of a gateway', () => {
      let gateway: DeliveringGateway;
      let proxy: ReverseProxy;
      let url: string;

      beforeAll(async () => {
        const environment = { TRUST_PROXY: '127.0.0.1', KEYLESS_PER_MINUTE: '5' };
        gateway = await startDelivering({ dialect: sqlite, environment });
        const port = portOf(gateway.address);
        proxy = await startProxy(port, port);
        url = `${proxy.address}/graphql`;
      });
      afterAll(async () => {
        await proxy?.close();
        await gateway?.close();
      });

      test('each result of a subscription arrives at once', async () => {
        const receiver = await startReceiver();
        onTestFinished(receiver.close);
        await gateway.webhook(receiver.address);
        const body = JSON.stringify({ query: 'subscription { deliveryUpdated { state } }' });
        const headers = { ...json, accept: 'text/event-stream', 'x-api-key': gateway.space.key };
        const stream = await open(url, { headers, body });
        onTestFinished(() => void stream.destroy());
        expect(stream).toMatchObject({ statusCode: 200, headers: { 'content-type': 'text/event-stream' } });
        let received = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          received += chunk;
        });
        await expect.poll(() => received).toBe(':\n\n');
        await gateway.emit(1);
        await expect.poll(() => received).toContain('"state":"SUCCEEDED"');
        expect(stream.complete).toBe(false);
      });

      test('a WebSocket opens', async () => {
        const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { rejectUnauthorized: false });
        onTestFinished(() => socket.terminate());
        await once(socket, 'open');
        expect(socket.protocol).toBe('graphql-transport-ws');
      });

      test('rate limits by address apply to the real address of the client, whatever it claims', async () => {
        const ask = async (from: string, headers = {}) =>
          (await send(url, { headers: { ...json, ...headers }, body: keyless, from })).status;
        for (let n = 0; n < 5; n += 1) expect(await ask('127.0.0.2')).toBe(200);
        expect(await ask('127.0.0.2')).toBe(503);
        expect(await ask('127.0.0.2', { 'x-forwarded-for': '192.0.2.1' })).toBe(503);
        expect(await ask('127.0.0.3')).toBe(200);
      });

      test('a body is refused that is too large for the gateway, and passes if it is not', async () => {
        const headers = { ...json, 'x-api-key': gateway.space.key };
        const sized = (bytes: number) =>
          JSON.stringify({ query: '{ __typename }', extensions: { pad: 'x'.repeat(bytes) } });
        expect((await send(url, { headers, body: sized(1_000_000) })).status).toBe(200);
        const refused = await send(url, { headers, body: sized(1_500_000) });
        // nginx has the same limit, and refuses by itself.
        if (name === 'nginx') expect(refused.status).toBe(413);
        else expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('CONTENT_TOO_LARGE') });
        const wide = await send(url, { headers: { ...headers, 'x-wide': 'x'.repeat(12_000) }, body: keyless });
        expect(wide.status).toBe(200);
      });

      test('a browser gets GraphiQL, and its files', async () => {
        const headers = { accept: 'text/html', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
        const page = await send(url, { headers });
        expect(page).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('text/html') } });
        const script = /src="([^"]+\.js)"/.exec(page.body)?.[1] ?? '';
        expect(await send(new URL(script, url).href)).toMatchObject({ status: 200 });
      });
    });

    test('no request fails while one of two gateways is stopped', async () => {
      const place = await sqlite.location();
      const environment = { DATABASE_URL: place.url, SHUTDOWN_DELAY_MS: '2500' };
      const [first, second] = [await startGateway({ environment }), await startGateway({ environment })];
      onTestFinished(async () => {
        await second.close();
        await place.drop();
      });
      const { key } = await first.workspace();
      const proxy = await startProxy(portOf(first.address), portOf(second.address));
      onTestFinished(proxy.close);
      const headers = { ...json, 'x-api-key': key };
      const body = JSON.stringify({ query: '{ accounts { nodes { accountId } } }' });
      const statuses = new Map<number | undefined, number>();
      let isOver = false;
      const ask = async () => {
        while (!isOver) {
          const { status } = await send(`${proxy.address}/graphql`, { headers, body });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      const asking = Array.from({ length: 8 }, ask);
      const stream = await open(`${proxy.address}/graphql`, {
        headers: { ...headers, accept: 'text/event-stream' },
        body: JSON.stringify({ query: 'subscription { deliveryUpdated { id } }' }),
      });
      const streamed = text(stream).catch(() => '');
      await sleep(500);
      // nginx does not ask whether a gateway is ready: it is told.
      if (name === 'nginx') proxy.reload(configuration.replace(':4000;', ':4000 down;'));
      await first.close();
      await sleep(1_000);
      isOver = true;
      await Promise.all(asking);
      expect(Object.fromEntries(statuses)).toEqual({ 200: expect.any(Number) });
      expect(statuses.get(200)).toBeGreaterThan(50);
      stream.destroy();
      // Of whichever gateway it was, its client comes back.
      expect(await streamed).not.toContain('event: complete');
    });
  });
}
