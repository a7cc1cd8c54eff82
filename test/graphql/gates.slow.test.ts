/**
 * The gates cannot drift: what each refuses is refused alike through every door, for an operation of every executor, with the same
 * error, the same line in the log, the same attributes of the span and the same metrics. The list of gates is the list of stages.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { executors, stages } from '../../src/graphql/pipeline.ts';
import { pages } from '../compiled/both-ways.ts';
import { type Door, doors } from '../support/doors.ts';
import type { Gateway, TestWorkspace } from '../support/gateway.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { temporaryDirectory } from '../support/process.ts';
import { readMetrics } from '../support/prometheus.ts';
import { proxyTo, startStub } from '../support/stub.ts';
import { type ExecutorName, gateCases, type Sent, valid } from './gates.ts';

const executorNames = Object.keys(executors) as ExecutorName[];

/** What a request leads to, without what is the door's own. */
interface Seen {
  readonly response: unknown;
  readonly line: object;
  readonly metrics: readonly string[];
  readonly requestId: string;
}

interface Served {
  readonly gateway: Gateway;
  readonly collector: OtlpReceiver;
  readonly workspace: TestWorkspace;
  ask(door: Door, sent: Sent): Promise<Seen>;
}

let requests = 0;

async function start(environment: Readonly<Record<string, string>> = {}): Promise<Served> {
  const collector = await startOtlpReceiver();
  const stub = await startStub(pages);
  const gateway = await proxyTo(stub, {
    environment: {
      UPSTREAM_API_KEY: 'our-key',
      // For its subscriptions.
      WEBHOOKS: 'own',
      PUBLIC_URL: 'http://127.0.0.1:9',
      INTAKE_EVENTS: 'ok',
      METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'none',
      ...environment,
      ...('DOCUMENTS' in environment ? { DOCUMENTS: await manifest() } : {}),
    },
  });
  const workspace = await gateway.workspace();
  const counted = async () => {
    const samples = readMetrics(await (await fetch(String(gateway.app.metricsAddress))).text());
    return new Map(
      samples
        .filter(({ name }) => /^postern_(?:errors_total|graphql_\w+_count|response_cache_lookups_total)$/.test(name))
        .map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]),
    );
  };
  return {
    gateway,
    collector,
    workspace,
    async ask(door, { parameters, key = workspace.key }) {
      requests += 1;
      const sentId = `request-${requests}-of-the-test`;
      const requestId = door.idOf(sentId);
      const before = await counted();
      const lines = gateway.log.length;
      const body = await door.ask({ address: gateway.address, requestId: sentId, key, parameters });
      const {
        level,
        time,
        pid,
        hostname,
        traceId,
        spanId,
        ms,
        reqId,
        method: _,
        status,
        ...line
      } = await lineOf(gateway, requestId, lines);
      const metrics = [...(await counted())].flatMap(([series, value]) =>
        value === (before.get(series) ?? 0) ? [] : `${series} +${value - (before.get(series) ?? 0)}`,
      );
      return {
        response: JSON.parse(body.replaceAll(requestId, 'the-request')),
        line,
        metrics: metrics.sort(),
        requestId,
      };
    },
  };
}

/** The line of a request, once it has ended. */
async function lineOf({ log }: Gateway, requestId: string, after: number): Promise<Record<string, unknown>> {
  const find = () => log.slice(after).find(({ msg, reqId }) => msg === 'request' && reqId === requestId);
  await expect.poll(find).toBeDefined();
  return find() ?? {};
}

async function manifest(): Promise<string> {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const file = join(directory.path, 'documents.json');
  await writeFile(file, JSON.stringify({ a: '{ viewer { name } }' }));
  return file;
}

/** What the span of a request says, besides how it came. */
function spanOf({ spans }: OtlpReceiver, { requestId }: Seen): object | undefined {
  const span = spans.find(({ kind, attributes }) => kind === 2 && attributes['postern.request.id'] === requestId);
  if (span === undefined) return undefined;
  const ofDoor = /^(?:postern\.request\.id|http\.request\.method|http\.response\.status_code|error\.type)$/;
  return Object.fromEntries(Object.entries(span.attributes).filter(([name]) => !ofDoor.test(name)));
}

test('the gates are the stages, and every one has operations of every executor', () => {
  expect(Object.keys(gateCases)).toEqual(Object.keys(stages));
  for (const [stage, cases] of Object.entries(gateCases)) {
    if (stage !== 'lookUp') expect(cases, stage).not.toEqual([]);
    for (const { requests } of cases) expect(Object.keys(requests).sort()).toEqual([...executorNames].sort());
  }
});

/** Those of one environment share a gateway. */
const environments = Map.groupBy(
  Object.entries(gateCases).flatMap(([stage, cases]) => cases.map((each) => ({ stage, ...each }))),
  ({ environment }) => JSON.stringify(environment ?? {}),
);

test.each([...environments])(
  'what is refused with %s is refused alike through every door, whatever would execute it',
  { timeout: 240_000 },
  async (environment, cases) => {
    const served = await start(JSON.parse(environment));
    if (environment.includes('KEYLESS_PER_MINUTE')) {
      await fetch(`${served.gateway.address}/graphql?query={__typename}`);
      await expect.poll(() => served.gateway.log.some(({ msg }) => msg === 'request')).toBe(true);
    }
    const seen: {
      readonly what: string;
      readonly code: string;
      readonly type: string;
      readonly through: Readonly<Record<string, Seen>>;
    }[] = [];
    for (const { stage, what, code, type = `errors/${code.toLowerCase()}`, requests: refused } of cases) {
      for (const executor of executorNames) {
        const sent = refused[executor];
        if (typeof sent === 'string') continue;
        const through: Record<string, Seen> = {};
        for (const [name, door] of Object.entries(doors)) through[name] = await served.ask(door, sent);
        seen.push({ what: `${stage}: ${what}, ${executor}`, code, type, through });
      }
    }
    await served.gateway.close();
    for (const {
      what,
      code,
      type,
      through: { JSON: first, ...others },
    } of seen) {
      if (first === undefined) throw new Error('There is no first door');
      expect(first.response, what).toMatchObject({ errors: [{ extensions: { code } }] });
      expect(first.response, what).not.toHaveProperty('data');
      expect(first.line, what).toMatchObject({ errors: [type] });
      expect(first.line, what).not.toHaveProperty('compiled');
      expect(first.metrics, what).toContainEqual(expect.stringContaining(type));
      const { requestId: _, ...told } = first;
      const span = spanOf(served.collector, first);
      expect(span, what).toMatchObject({ 'postern.errors': type });
      for (const [door, each] of Object.entries(others)) {
        const { requestId: __, ...same } = each;
        expect(same, `${what}, ${door}`).toEqual(told);
        expect(spanOf(served.collector, each), `${what}, ${door}`).toEqual(span);
      }
    }
  },
);

describe('what passes', () => {
  test('is executed alike through every door, and is known to the log, traces and metrics', {
    timeout: 60_000,
  }, async () => {
    const served = await start();
    const came: [ExecutorName, string, Seen][] = [];
    for (const executor of ['compiled', 'resolving'] as const) {
      for (const [name, door] of Object.entries(doors)) {
        came.push([executor, name, await served.ask(door, { parameters: { query: valid[executor] } })]);
      }
    }
    await served.gateway.close();
    for (const [executor, door, { response, line, metrics, requestId }] of came) {
      const [, , first] = came.find(([each]) => each === executor) ?? [];
      const operation = /(?<=query )\w+/.exec(valid[executor])?.[0] ?? '';
      expect(response, `${executor}, ${door}`).toEqual(first?.response);
      expect(response, executor).toHaveProperty('data');
      expect(line, `${executor}, ${door}`).toEqual(first?.line);
      expect(line).toMatchObject({ operation, operationType: 'query' });
      expect(line).toHaveProperty('compiled', executor === 'compiled' ? 'yes' : expect.any(String));
      expect(metrics, `${executor}, ${door}`).toEqual(first?.metrics);
      const { spans } = served.collector;
      const request = spans.find(({ attributes }) => attributes['postern.request.id'] === requestId);
      const within = spans.filter(({ kind, parentSpanId }) => kind === 1 && parentSpanId === request?.spanId);
      expect(within, `${executor}, ${door}`).toMatchObject([
        {
          name: `query ${operation}`,
          attributes: { 'graphql.operation.name': operation, 'graphql.operation.type': 'query' },
        },
      ]);
    }
  });

  test('lookUp responds alike through every door, whatever had executed it', { timeout: 60_000 }, async () => {
    const served = await start({ RESPONSE_CACHE: 'memory' });
    for (const executor of ['compiled', 'resolving'] as const) {
      const sent = { parameters: { query: valid[executor] } };
      const [[, first] = [], ...others] = Object.entries(doors);
      if (first === undefined) throw new Error('There is no first door');
      const missed = await served.ask(first, sent);
      expect(missed.line).toMatchObject({ cache: 'miss' });
      const hit = await served.ask(first, sent);
      expect(hit.line).toMatchObject({ cache: 'hit' });
      expect(hit.response).toEqual(missed.response);
      for (const [name, door] of others) {
        const { requestId: _, ...same } = await served.ask(door, sent);
        const { requestId: __, ...told } = hit;
        expect(same, `${executor}, ${name}`).toEqual(told);
      }
    }
    await served.gateway.close();
  });
});
