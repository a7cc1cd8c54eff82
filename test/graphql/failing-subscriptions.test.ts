/** A subscription whose source fails: it ends alone, in a way that brings its client back if that can help. */
import { DefaultQueryExecutor } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { DatabaseFault } from '../../src/store/faults.ts';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { openSocket } from '../support/web-socket.ts';

let gateway: Gateway;
let workspace: TestWorkspace;
let accountId: string;
/** Thrown by each statement that contains the text. */
let fault: { readonly text: string; readonly error: Error } | null = null;
/** Statements that contain the text wait for it. */
let held: { readonly text: string; readonly until: Promise<void> } | null = null;

beforeAll(async () => {
  gateway = await startGateway();
  workspace = await gateway.workspace();
  accountId = await workspace.account();
  const { executeQuery } = DefaultQueryExecutor.prototype;
  vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(async function (
    this: DefaultQueryExecutor,
    query,
    ...given
  ) {
    if (held !== null && query.sql.includes(held.text)) await held.until;
    if (fault !== null && query.sql.includes(fault.text)) throw fault.error;
    return executeQuery.call(this, query, ...given) as never;
  });
});
afterEach(() => {
  [fault, held] = [null, null];
});
afterAll(async () => {
  vi.restoreAllMocks();
  await gateway.close();
});

const polls = 'from "accounts"';
const watch = () => `subscription { accountUpdated(accountIds: ["${accountId}"]) { status } }`;
const status = (value: string) =>
  gateway.app.database.updateTable('accounts').set({ status: value }).where('id', '=', accountId).execute();

const forNow = () => new ServiceError('service_unavailable', { detail: 'Changes may have been missed.' });
const forGood = () => new TypeError('a bug');

/** @returns the text of the stream from the fault on */
async function stream(accept: string, failure: Error): Promise<string> {
  const response = await fetch(`${gateway.address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, 'x-api-key': workspace.key },
    body: JSON.stringify({ query: watch() }),
  });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('"status"')) fault = { text: polls, error: failure };
  }
  return text;
}

test.each([
  ['text/event-stream', 'event: complete'],
  ['multipart/mixed;subscriptionSpec=1.0', '--graphql--'],
])('%s ends with its completion only if its client shall not come back', async (accept, completion) => {
  const ended = await stream(accept, forGood());
  expect(ended).toContain('UNEXPECTED_ERROR');
  expect(ended).toContain(completion);
  fault = null;
  const cut = await stream(accept, forNow());
  expect(cut).toContain('"status"');
  expect(cut).toContain('"errors"');
  expect(cut).not.toContain(completion);
  expect(gateway.app.streams.count('subscription')).toBe(0);
});

async function connect() {
  const client = await openSocket(gateway.address, { init: { 'x-api-key': workspace.key } });
  onTestFinished(() => client.socket.terminate());
  return client;
}

test('a failure for good ends that operation of a WebSocket, and no other', async () => {
  const client = await connect();
  await client.ask('1', { query: watch() });
  fault = { text: polls, error: forGood() };
  expect(await client.next('1')).toMatchObject({
    type: 'error',
    payload: [{ extensions: { code: 'UNEXPECTED_ERROR' } }],
  });
  expect(gateway.app.streams.count('subscription')).toBe(0);
  fault = null;
  expect((await client.ask('2', { query: '{ viewer { name } }' })).type).toBe('next');
  expect((await client.ask('1', { query: watch() })).payload.data.accountUpdated).toBeDefined();
});

test('after a failure for now a WebSocket closes for its client to come back, once its mutations have finished', async () => {
  const client = await connect();
  const release = Promise.withResolvers<void>();
  held = { text: 'insert into "jobs"', until: release.promise };
  const input = `{ accountId: "${accountId}", posting: { jobTitle: { text: "x" } } }`;
  client.say({
    type: 'subscribe',
    id: 'create',
    payload: { query: `mutation { createJobDraft(input: ${input}) { __typename } }` },
  });
  await client.ask('1', { query: watch() });
  fault = { text: polls, error: forNow() };
  await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  fault = null;
  release.resolve();
  expect((await client.next('create')).payload.data.createJobDraft.__typename).toBe('PnetJobPostingCreated');
  expect(await client.next('create')).toMatchObject({ type: 'complete' });
  expect(await client.closed).toEqual([1013, 'Changes may have been missed. Connect again.']);
  expect(client.messages.filter(({ id }) => id === '1')).toHaveLength(1);
});

test('a fault of the database is waited out, and the changes meanwhile are told', async () => {
  await status('OK');
  const client = await connect();
  await client.ask('1', { query: watch() });
  let faults = 0;
  fault = {
    text: polls,
    get error() {
      faults += 1;
      return new DatabaseFault('unavailable', new Error('away'));
    },
  };
  await expect.poll(() => faults).toBeGreaterThan(1);
  fault = null;
  await status('CREDENTIALS');
  expect((await client.next('1')).payload.data.accountUpdated.status).toBe('CREDENTIALS');
});
