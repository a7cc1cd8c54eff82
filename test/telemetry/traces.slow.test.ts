/** Traces as a collector receives them: from the HTTP request to the call of the service, and to the webhook. */
import { describe, expect, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import type { graphql } from '../support/gateway.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { json, pnetPost, postList, proxyTo, startStub } from '../support/stub.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${parentId}-01`;

const tracing = ({ url }: OtlpReceiver) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRICS_EXPORTER: 'none' });

const send = (address: string, key: string, query: string, headers: object = {}) =>
  fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key, traceparent, ...headers },
    body: JSON.stringify({ query }),
  }).then((response) => response.json());

const list = 'query Few { posts(accountId: "a", identifier: "i", first: 1) { nodes { ... on PnetPost { text } } } }';

describe('in proxy mode', () => {
  test.each([
    { way: 'compiled', headers: { accept: '*/*' }, between: ['posts.pages.read', 'query Few'] },
    { way: 'executed', headers: { accept: '*/*' }, between: ['posts.list', 'query Few'], compiling: 'off' },
  ])(
    'an operation that is $way leads to the call, which carries the trace on',
    async ({ headers, between, compiling = 'on' }) => {
      const collector = await startOtlpReceiver();
      const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1')])));
      const gateway = await proxyTo(stub, {
        environment: { ...tracing(collector), COMPILED_OPERATIONS: compiling },
      });
      expect(await send(gateway.address, 'their-key', list, headers)).toMatchObject({
        data: { posts: { nodes: [{ text: 'Text 1' }] } },
      });
      await gateway.close();
      const call = collector.spans.find(({ kind }) => kind === 3);
      expect(call).toMatchObject({
        traceId,
        name: 'GET /v1/users/{identifier}/posts',
        attributes: { 'http.response.status_code': 200, 'server.address': '127.0.0.1' },
        status: 0,
      });
      expect(collector.above(call).map(({ name }) => name)).toEqual([...between, 'POST /graphql']);
      expect(collector.above(call).at(-1)).toMatchObject({
        parentSpanId: parentId,
        kind: 2,
        attributes: { 'graphql.operation.name': 'Few', 'http.route': '/graphql', 'http.response.status_code': 200 },
      });
      expect(stub.received[0]?.headers.traceparent).toBe(`00-${traceId}-${call?.spanId}-01`);
      expect(gateway.log.find(({ msg }) => msg === 'request')).toMatchObject({ traceId, operation: 'Few' });
    },
  );

  test('the line of a request whose client has gone has its trace', async () => {
    const collector = await startOtlpReceiver();
    const leaving = new AbortController();
    const stub = await startStub(() => leaving.abort());
    const gateway = await proxyTo(stub, { environment: tracing(collector) });
    await expect(
      fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'their-key', traceparent },
        body: JSON.stringify({ query: list }),
        signal: leaving.signal,
      }),
    ).rejects.toThrow(/abort/);
    await expect.poll(() => gateway.log.find(({ msg }) => msg === 'request')).toMatchObject({ aborted: true, traceId });
    await gateway.close();
  });

  test('each attempt of a call is a span, with what was wrong', async () => {
    const collector = await startOtlpReceiver();
    let calls = 0;
    const stub = await startStub((_request, response) => {
      calls += 1;
      if (calls === 1) json(response, 503, {});
      else json(response, 200, postList([]));
    });
    const gateway = await proxyTo(stub, { environment: tracing(collector) });
    await send(gateway.address, 'their-key', list);
    await gateway.close();
    const attempts = collector.spans.filter(({ kind }) => kind === 3);
    expect(attempts.map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
      [2, '503'],
      [0, undefined],
    ]);
  });

  test('a trace that the caller does not sample is sent on, and not recorded', async () => {
    const collector = await startOtlpReceiver();
    const stub = await startStub((_request, response) => json(response, 200, postList([])));
    const gateway = await proxyTo(stub, { environment: tracing(collector) });
    await send(gateway.address, 'their-key', list, { traceparent: `00-${traceId}-${parentId}-00` });
    await gateway.close();
    expect(stub.received[0]?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    expect(collector.spans).toEqual([]);
  });

  test('nothing is added to calls unless it is configured', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([])));
    const gateway = await proxyTo(stub);
    await send(gateway.address, 'their-key', list);
    expect(stub.received[0]?.headers).not.toHaveProperty('traceparent');
  });

  test('a collector that cannot be reached does no harm, and is logged', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([])));
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const gateway = await proxyTo(stub, { environment });
    expect(await send(gateway.address, 'their-key', list)).toMatchObject({ data: { posts: { nodes: [] } } });
    await gateway.close();
    expect(gateway.log.map(({ msg }) => msg)).toContain('the last telemetry could not be sent');
  });
});

describe.each(databases.slice(0, 1))('on $name', (dialect) => {
  const emitEvent = (accountId: string) => `mutation Emit {
    emitEvent(input: { accountId: "${accountId}", event: NEW_RELATION, data: { user_full_name: "Ada" } }) { __typename }
  }`;

  test('an event leads to statements, and to the webhook, which gets the trace', async () => {
    const collector = await startOtlpReceiver();
    const receiver = await startReceiver();
    const gateway = await startDelivering({ dialect, environment: tracing(collector) });
    await gateway.webhook(`${receiver.address}/secret-path?token=secret-query`);
    const { data, errors } = await graphqlWith(gateway.address, gateway.space.key, emitEvent(gateway.accountId));
    expect(errors).toBeUndefined();
    expect(data).toEqual({ emitEvent: { __typename: 'EventEmitted' } });
    await gateway.delivery.worker.idle();
    await gateway.close();
    await receiver.close();
    const named = (name: string) => collector.spans.find((span) => span.name === name);
    const statement = named('insert events');
    expect(collector.above(statement).map(({ name }) => name)).toEqual([
      expect.stringMatching(/^deliveries\./),
      'mutation Emit',
      'POST /graphql',
    ]);
    const attempt = named('POST webhook');
    expect(attempt).toMatchObject({
      traceId,
      attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 200, 'postern.delivery.attempt': 1 },
    });
    expect(collector.above(attempt).at(-1)).toMatchObject({ name: 'POST /graphql', parentSpanId: parentId });
    expect(receiver.received[0]?.headers.traceparent).toBe(`00-${traceId}-${attempt?.spanId}-01`);
    expect(receiver.received[0]?.headers).not.toHaveProperty('tracestate');
    expect(collector.text).not.toContain('secret-');
  });
});

async function graphqlWith(address: string, key: string, query: string): Promise<Awaited<ReturnType<typeof graphql>>> {
  return (await send(address, key, query, { tracestate: 'vendor=1' })) as Awaited<ReturnType<typeof graphql>>;
}
