/** What `/metrics` serves after a real run: every series of the table, every one that the dashboard shows, and few values. */
import { readFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allSeries } from '../../src/telemetry/series.ts';
import { databases } from '../support/databases.ts';
import { startFronting } from '../support/fronting.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { namesIn, readMetrics, type Sample } from '../support/prometheus.ts';
import { json, postList, proxyTo, startStub } from '../support/stub.ts';
import { openSocket } from '../support/web-socket.ts';
import { cacheOn, embeddedRun, upstreamRun } from './busy-run.ts';

const dashboard = await readFile(new URL('../../src/telemetry/dashboard.json', import.meta.url), 'utf8');
const expressions = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text]) =>
  String(JSON.parse(text ?? '')),
);

const rules = await readFile(new URL('../../docs/run/observability.md', import.meta.url), 'utf8');
const alerts = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, text = '']) => text);

/** As Prometheus has it: `a.b` in seconds is `a_b_seconds`. */
const endings: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' };
const prometheusNames = allSeries.map(([name, { kind, unit }]) => {
  const total = kind === 'counter' || kind === 'total' ? '_total' : '';
  return `${name.replaceAll('.', '_')}${endings[unit] ?? ''}${total}`;
});

test('subscriptions, which last as long as their clients listen, are in no quantile of operations', () => {
  const quantiles = expressions.filter((each) => /histogram_quantile.*operation_duration/.test(each));
  expect(quantiles).toHaveLength(1);
  for (const each of quantiles) expect(each).toContain("graphql_operation_type!='subscription'");
});

test('a destination that hangs is measured as such, and not by twice the deadline', () => {
  const buckets = allSeries.find(([name]) => name === 'postern.delivery.attempt.duration')?.[1].buckets ?? [];
  expect(buckets.find((bound) => bound > 15)).toBeLessThan(16);
});

/** The names that served samples belong to, without those of the parts of a histogram. */
const served = (samples: readonly Sample[]) =>
  new Set(samples.flatMap(({ name }) => [name, name.replace(/_(?:bucket|sum|count)$/, '')]));

/** What Prometheus itself has. */
const ofPrometheus = new Set(['up', 'job', 'instance']);

/** The metrics of an alert's expression that no sample has, and their labels that none of its samples has. */
function unknownIn(expression: string, samples: readonly Sample[]): string[] {
  const selectors = expression.matchAll(/\b(up|(?:postern|http|db|nodejs|process)_\w+)(?:\{([^}]*)\})?/g);
  return [...selectors].flatMap(([, name = '', matchers = '']) => {
    if (ofPrometheus.has(name)) return [];
    const own = samples.filter((sample) => sample.name === name);
    const labels = [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)].filter(([, label = '']) => !ofPrometheus.has(label));
    const unknown = labels.filter(([, label = '']) => !own.some((sample) => label in sample.labels));
    return [...(own.length === 0 ? [name] : []), ...unknown.map(([, label]) => `${name}{${label}}`)];
  });
}

test('an alert on what no gateway exports is found', () => {
  const samples = [{ name: 'postern_deliveries', labels: { state: 'due' }, value: 1 }];
  const expression = 'max(postern_deliveries{stat="due",state="due"}) > postern_nothing{job="a"} or up{job="b"}';
  expect(unknownIn(expression, samples)).toEqual(['postern_deliveries{stat}', 'postern_nothing']);
});

describe.each(databases.slice(0, 1))('with webhooks on $name, and in proxy mode', (dialect) => {
  test('every series is served, and the dashboard shows no other', { timeout: 60_000 }, async () => {
    const collector = await startOtlpReceiver();
    const sent = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_EXPORTER: 'none' };
    const { gateway, receiver, scrape } = await embeddedRun(dialect, sent);
    const upstream = await upstreamRun({});
    const fronting = await startFronting({ METRICS_PORT: '0' });
    onTestFinished(() => fronting.close());
    // Deliveries are counted in the background, and retention sweeps when it has started.
    const samples: Sample[] = [];
    const isCaching = 'RESPONSE_CACHE' in cacheOn(dialect);
    const isServed = (name: string) => isCaching || !name.startsWith('postern_response_cache');
    const missing = async () => {
      samples.push(...readMetrics(await scrape()), ...readMetrics(await upstream.scrape()));
      samples.push(...readMetrics(await (await fetch(fronting.front.app.metricsAddress ?? '')).text()));
      const names = served(samples);
      return prometheusNames.filter((name) => isServed(name) && !names.has(name));
    };
    await expect.poll(missing).toEqual([]);
    const names = served(samples);
    const shown = new Set(expressions.flatMap(namesIn));
    expect(shown.size).toBeGreaterThan(25);
    expect([...shown].filter((name) => !names.has(name) && isServed(name))).toEqual([]);
    // And the other way round: what is counted is shown.
    const bases = new Set([...shown].flatMap((name) => [name, name.replace(/_(?:bucket|sum|count)$/, '')]));
    expect(prometheusNames.filter((name) => !bases.has(name))).toEqual(['postern_intake_webhooks']);
    expect(alerts.length).toBeGreaterThan(8);
    expect(alerts.flatMap((each) => unknownIn(each, samples))).toEqual([]);
    await gateway.close();
    await receiver.close();
    expect([...collector.metrics].filter((name) => !allSeries.some(([known]) => known === name))).toEqual([]);
    expect(collector.metrics.size).toBeGreaterThan(20);
  });
  test('figures are right', async () => {
    const { gateway, receiver, scrape } = await embeddedRun(dialect, {});
    const find = (samples: readonly Sample[], name: string, labels: object) =>
      samples.find(
        (each) => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
      );
    await expect
      .poll(async () => find(readMetrics(await scrape()), 'postern_deliveries', { state: 'succeeded' }))
      .toBeDefined();
    const samples = readMetrics(await scrape());
    const figure = (name: string, labels = {}) => find(samples, name, labels)?.value;
    const operations = 'postern_graphql_operation_duration_seconds_count';
    expect(figure(operations, { graphql_operation_name: 'Emit', outcome: 'ok', compiled: 'no' })).toBe(1);
    expect(figure(operations, { graphql_operation_name: 'Bad', outcome: 'errors' })).toBe(1);
    expect(figure(operations, { graphql_operation_name: 'anonymous' })).toBe(1);
    expect(figure('postern_errors_total', { error_type: 'errors/invalid_parameters' })).toBeGreaterThanOrEqual(1);
    expect(figure('postern_webhooks_disabled_total', { reason: 'gone' })).toBe(1);
    expect(figure('postern_events_total')).toBe(3);
    const attempts = 'postern_delivery_attempt_duration_seconds_count';
    expect(figure(attempts, { outcome: 'failed', response: '4xx' })).toBe(1);
    expect(figure(attempts, { outcome: 'retry', response: '5xx' })).toBeGreaterThanOrEqual(1);
    expect(figure(attempts, { outcome: 'succeeded', response: '2xx' })).toBe(3);
    expect(figure('http_server_request_duration_seconds_count', { http_route: 'none' })).toBe(1);
    await gateway.close();
    await receiver.close();
  });
});

test('WebSockets are counted while they are open', async () => {
  const gateway = await startGateway({ environment: { METRICS_PORT: '0' } });
  onTestFinished(() => gateway.close());
  const { key } = await gateway.workspace();
  const open = async () => {
    const samples = readMetrics(await (await fetch(String(gateway.app.metricsAddress))).text());
    return samples.find(({ name }) => name === 'postern_websockets')?.value;
  };
  expect(await open()).toBe(0);
  const sockets = [];
  for (let n = 0; n < 2; n += 1) sockets.push(await openSocket(gateway.address, { init: { 'X-API-KEY': key } }));
  expect(await open()).toBe(2);
  sockets[0]?.socket.close();
  await expect.poll(open).toBe(1);
});

test('no label has an id, a key or a URL for its value', async () => {
  const [dialect] = databases;
  if (dialect === undefined) throw new Error('there is no database');
  const { gateway, receiver, scrape } = await embeddedRun(dialect, {});
  const upstream = await upstreamRun({});
  const samples = [...readMetrics(await scrape()), ...readMetrics(await upstream.scrape())];
  await gateway.close();
  await receiver.close();
  const labelled = new Set(
    samples
      .flatMap(({ labels }) => Object.entries(labels))
      .filter(([key]) => key !== 'le')
      .map(([key, value]) => `${key}=${value}`),
  );
  const odd = [...labelled].filter((pair) => /\d{4}|:\/\/|[\w-]{22}/.test(pair.replace(/^[^=]*=/, '')));
  expect(odd).toEqual([]);
});

test('names of operations beyond the hundredth are one', async () => {
  const stub = await startStub((_request, response) => json(response, 200, postList([])));
  const gateway = await proxyTo(stub, { environment: { METRICS_PORT: '0' } });
  for (let n = 0; n < 130; n += 1) {
    await gateway.ask(`query Name${n} { posts(accountId: "a", identifier: "i", first: 1) { nodes { __typename } } }`);
  }
  const samples = readMetrics(await (await fetch(String(gateway.app.metricsAddress))).text());
  const counts = samples.filter(({ name }) => name === 'postern_graphql_operation_duration_seconds_count');
  expect(counts).toHaveLength(101);
  expect(counts.find(({ labels }) => labels.graphql_operation_name === 'other')?.value).toBe(30);
});

test('names of strangers use up none of the hundred', async () => {
  const gateway = await startGateway({ environment: { METRICS_PORT: '0' } });
  onTestFinished(() => gateway.close());
  const space = await gateway.workspace();
  for (let n = 0; n < 110; n += 1) await graphql(gateway.address, undefined, `query Stranger${n} { __typename }`);
  await graphql(gateway.address, space.key, 'query Client { viewer { name } }');
  const samples = readMetrics(await (await fetch(String(gateway.app.metricsAddress))).text());
  const counts = samples.filter(({ name }) => name === 'postern_graphql_operation_duration_seconds_count');
  expect(counts.map(({ labels, value }) => [labels.graphql_operation_name, value])).toEqual([
    ['other', 110],
    ['Client', 1],
  ]);
});
