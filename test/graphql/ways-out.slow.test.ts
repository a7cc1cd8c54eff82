/** Whatever a text has in it: every way out of the gateway prints valid Unicode, and numbers with their digits. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { parseWellFormed, stringify } from '../../src/kernel/lib/json-text.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { openSocket } from '../support/web-socket.ts';

/** Any code units, halves of pairs among them. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0xd800, max: 0xdfff }), fc.integer({ min: 1, max: 0xffff })), { minLength: 1 })
  .map((units) => String.fromCharCode(...units));

/** Bytes that every reader takes: UTF-8, JSON, and no half of a pair, escaped or not. */
function readStrictly(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  expect(text).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/i);
  return text;
}

describe('a failure that a network words', () => {
  let said = '';
  let gateway: Gateway;
  let workspace: TestWorkspace;
  let accountId: string;
  let draftId: string;
  const failing = async (): Promise<never> => {
    throw new ServiceError('provider_error', { detail: said });
  };

  beforeAll(async () => {
    gateway = await startGateway({
      environment: { CALLS_PER_MINUTE: '0' },
      providers: (sandbox) => ({
        ...sandbox,
        PNET: { ...sandbox.PNET, listPosts: failing, publish: failing, findPublished: async () => null },
      }),
    });
    workspace = await gateway.workspace();
    accountId = await workspace.account();
    const created = await graphql(
      `mutation { createJobDraft(input: { accountId: "${accountId}", posting: { jobTitle: { text: "T" } } }) { ... on PnetJobPostingCreated { jobId } } }`,
    );
    draftId = JSON.parse(created).data.createJobDraft.jobId;
  });
  afterAll(() => gateway.close());

  const send = async (path: string, headers: Record<string, string> = {}, body?: object) => {
    const response = await fetch(gateway.address + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': workspace.key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return readStrictly(new Uint8Array(await response.arrayBuffer()));
  };
  const graphql = (query: string, headers?: Record<string, string>) => send('/graphql', headers, { query });
  const posts = () => `{ posts(accountId: "${accountId}", identifier: "ACoAda") { nodes { __typename } } }`;
  const publish = () =>
    `mutation { publishJob(input: { accountId: "${accountId}", jobId: "${draftId}", mode: FREE }) { __typename ... on ServiceError { message } } }`;
  const publishOverRest = (key: string) =>
    send(`/v1/pnet/jobs/${draftId}/publish`, { 'idempotency-key': key }, { account_id: accountId, mode: 'FREE' });

  const ways: Readonly<Record<string, () => Promise<string>>> = {
    'a GraphQL query': () => graphql(posts()),
    'a GraphQL mutation': () => graphql(publish()),
    'a stream of events': () => graphql(posts(), { accept: 'text/event-stream' }),
    'several parts': () => graphql(posts(), { accept: 'multipart/mixed;subscriptionSpec=1.0' }),
    'a WebSocket': async () => {
      const socket = await openSocket(gateway.address, { init: { 'x-api-key': workspace.key } });
      const told: Uint8Array[] = [];
      socket.socket.on('message', (data) => told.push(data as Buffer));
      await socket.ask('1', { query: posts() });
      socket.socket.close();
      return readStrictly(Buffer.concat(told));
    },
    REST: () => send(`/v1/users/ACoAda/posts?account_id=${accountId}`),
    'REST under an idempotency key': () => publishOverRest(crypto.randomUUID()),
    'what an idempotency key stored': async () => {
      const key = crypto.randomUUID();
      await publishOverRest(key);
      const worded = said;
      said = 'said only once';
      try {
        return await publishOverRest(key);
      } finally {
        said = worded;
      }
    },
  };

  test.each(Object.entries(ways))('goes out in %s', async (_way, ask) => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        said = text;
        const whole = JSON.stringify(text.toWellFormed()).slice(1, -1);
        expect(await ask()).toContain(whole);
      }),
      { numRuns: 12 },
    );
  });
});

test('texts and keys at any place of a value are printed, and read of a service, as valid Unicode', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(anyText, fc.array(tie('any'), { maxLength: 3 }), fc.dictionary(anyText, tie('any'), { maxKeys: 3 })),
  })).any;
  const units = (each: unknown): boolean =>
    typeof each === 'string'
      ? each.isWellFormed()
      : typeof each !== 'object' || each === null || Object.entries(each).flat().every(units);
  fc.assert(
    fc.property(value, (each) => {
      expect(units(JSON.parse(readStrictly(Buffer.from(stringify(each)))))).toBe(true);
      expect(units(parseWellFormed(JSON.stringify(each)))).toBe(true);
    }),
  );
});

describe.each(databases)('on $name', (dialect) => {
  const digits = '7615917337495251231';
  const emit = `mutation Emit($accountId: ID!, $data: JSON!) {
    emitEvent(input: { accountId: $accountId, event: MESSAGE_RECEIVED, data: $data }) { __typename } }`;
  const watch = 'subscription { deliveryUpdated { state data } }';

  test.each(['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0', 'WebSocket'])(
    'a number keeps its digits into and out of %s',
    async (way) => {
      const receiver = await startReceiver();
      const gateway = await startDelivering({ dialect });
      const headers = { 'x-api-key': gateway.space.key, 'content-type': 'application/json' };
      const gone = new AbortController();
      const socket = await openSocket(gateway.address, { init: headers });
      onTestFinished(async () => {
        gone.abort();
        socket.socket.close();
        await gateway.close();
        await receiver.close();
      });
      await fetch(`${gateway.address}/v1/webhooks`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ source: 'messaging', request_url: receiver.address }),
      });
      let told = '';
      if (way === 'WebSocket') {
        socket.socket.on('message', (data) => {
          told += String(data);
        });
        socket.say({ type: 'subscribe', id: 'watch', payload: { query: watch } });
      } else {
        const body = JSON.stringify({ query: watch });
        const init = { method: 'POST', headers: { ...headers, accept: way }, body, signal: gone.signal };
        const stream = await fetch(`${gateway.address}/graphql`, init);
        (async () => {
          for await (const chunk of stream.body ?? []) told += Buffer.from(chunk).toString();
        })().catch(() => undefined);
      }
      const variables = `{"accountId":"${gateway.accountId}","data":{"message_id":${digits},"attachments":[{"size":${digits}}]}}`;
      await expect
        .poll(async () => {
          const payload = `{"query":${JSON.stringify(emit)},"variables":${variables}}`;
          socket.say(`{"type":"subscribe","id":"${crypto.randomUUID()}","payload":${payload}}`);
          await gateway.delivery.worker.idle();
          return told;
        })
        .toContain(`"message_id":${digits},`);
      await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
      expect(receiver.received[0]?.body).toContain(`"size":${digits}`);
    },
  );
});
