/** Where metrics are served, and where they are not. */
import { createServer } from 'node:http';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { createMetricsEndpoint } from '../../src/app/metrics.ts';
import { listenAt } from '../../src/http/listening.ts';
import { openTelemetry } from '../../src/telemetry/open.ts';
import { startGateway } from '../support/gateway.ts';

async function gatewayWith(environment: Record<string, string>) {
  const gateway = await startGateway({ environment });
  onTestFinished(() => gateway.close());
  return gateway;
}

test('they are not served by default', async () => {
  const { address, app } = await gatewayWith({});
  expect(app.metricsAddress).toBeNull();
  expect((await fetch(`${address}/metrics`)).status).toBe(404);
});

test('a port of their own is that of the loopback address, and serves nothing else', async () => {
  const { address, app } = await gatewayWith({ METRICS_PORT: '0' });
  expect(app.metricsAddress).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const response = await fetch(String(app.metricsAddress));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await response.text()).toContain('postern_build_info{version="');
  expect((await fetch(String(app.metricsAddress), { method: 'POST' })).status).toBe(405);
  expect((await fetch(new URL('/graphql', String(app.metricsAddress)))).status).toBe(404);
  expect((await fetch(`${address}/metrics`)).status).toBe(404);
});

test('the port of the gateway serves them if it is named, and logs no line for them', async () => {
  const probe = await listenAt(createServer(), { host: '127.0.0.1', port: 0 });
  const { port } = new URL(probe.address);
  await probe.close();
  const { address, app, log } = await gatewayWith({ PORT: port, METRICS_PORT: port });
  expect(app.metricsAddress).toBe(`${address}/metrics`);
  expect(await (await fetch(`${address}/metrics`)).text()).toContain('postern_build_info{');
  expect(log.filter(({ msg }) => msg === 'request')).toEqual([]);
});

test('simultaneous scrapes share one collection', async () => {
  const telemetry = await openTelemetry(readConfig({ METRICS_PORT: '0' }).telemetry, (_fields, message) =>
    expect.fail(message),
  );
  onTestFinished(() => telemetry.close());
  let reads = 0;
  telemetry.metrics?.observe('postern.streams', () => {
    reads += 1;
    return [[reads, {}]];
  });
  const scrapes = await Promise.all(Array.from({ length: 20 }, () => telemetry.scrape?.()));
  expect(new Set(scrapes.map((scraped) => scraped?.body)).size).toBe(1);
  expect(reads).toBe(1);
  expect((await telemetry.scrape?.())?.body).toContain('postern_streams 2');
});

test('a failed scrape is answered with 500, and logged', async () => {
  const lines: unknown[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const config = readConfig({ METRICS_PORT: '0' });
  const endpoint = createMetricsEndpoint(config, () => Promise.reject(new Error('no figures')), logger);
  onTestFinished(() => endpoint.close());
  await endpoint.listen();
  expect((await fetch(String(endpoint.address))).status).toBe(500);
  expect(lines).toMatchObject([{ msg: 'the metrics could not be read', err: { message: 'no figures' } }]);
});
