/** What the log is told of a Redis server, and what a server that refuses commands costs. */
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRedisDocuments } from '../src/graphql/redis-documents.ts';
import { createRedisStore } from '../src/response-cache/redis-store.ts';
import { startRedisStub } from './support/redis-stub.ts';

type Reply = Parameters<typeof startRedisStub>[0];

/** Documents and responses in a server that says this. */
async function start(reply: Reply) {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const stub = await startRedisStub(reply);
  const documents = createRedisDocuments({ url: stub.url, logger });
  const responses = createRedisStore({ url: stub.url, logger, installation: 'i', randomBytes: Buffer.alloc });
  onTestFinished(async () => {
    documents.close();
    await responses.close();
    await stub.close();
  });
  return { stub, documents, responses, lines };
}

const hash = 'a'.repeat(64);
const key = `postern:document:${hash}`;
const connected = ({ documents }: Awaited<ReturnType<typeof start>>) =>
  expect.poll(() => documents.get(hash), { timeout: 5_000 }).toBe('text');
const known: Reply = (name) => (name.startsWith('get') ? '$4\r\ntext' : undefined);

test.each([
  ['a password that is wrong', '-WRONGPASS invalid username-password pair or user is disabled.'],
  ['a command that is not known', "-ERR unknown command 'x', with args beginning with: 'stub-password' 'SENT' "],
])('the log is not told what was sent: %s', async (_, refusal) => {
  const { lines } = await start((name) => (name === 'auth' ? refusal : undefined));
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0));
  expect(lines.join()).not.toMatch(/stub-password|SENT/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'Redis does not respond', err: { command: 'auth' } });
});

test('of a server that refuses to write, the log is told once, and neither documents nor responses', async () => {
  const full = '-OOM command not allowed when used memory > maxmemory.';
  const started = await start((name, command) => (name === 'set' ? full : known(name, command)));
  await connected(started);
  const { stub, documents, responses, lines } = started;
  lines.length = 0;
  for (let times = 0; times < 3; times += 1) {
    documents.set(hash, '{ document }');
    responses.set({ tenant: 't', key: 'k', generation: 'g', body: '{"response":1}', lifetimeMs: 1_000 });
    await responses.invalidate('another');
  }
  await vi.waitFor(() => expect(stub.commands.filter(([name]) => name === 'set')).toHaveLength(9));
  expect(await documents.get(hash)).toBe('text');
  const told = lines.map((line) => JSON.parse(line));
  expect(told.map(({ msg, use }) => [msg, use]).sort()).toEqual([
    ['Redis refuses a command', 'persisted queries'],
    ['Redis refuses a command', 'response cache'],
  ]);
  expect(lines.join()).not.toMatch(/document }|response"|generation/);
});

test('what a server has is known, though it refuses to write', async () => {
  const readOnly = "-READONLY You can't write against a read only replica.";
  const started = await start((name, command) => (name === 'expire' ? readOnly : known(name, command)));
  await connected(started);
  await expect.poll(() => started.lines.join()).toContain('READONLY');
  for (let times = 0; times < 3; times += 1) expect(await started.documents.get(hash)).toBe('text');
});

test('a value of another type hides no other document', async () => {
  const wrong = '-WRONGTYPE Operation against a key holding the wrong kind of value';
  const started = await start((name, command) => (command[1]?.endsWith('b') ? wrong : known(name, command)));
  await connected(started);
  expect(await started.documents.get('b'.repeat(64))).toBeUndefined();
  expect(await started.documents.get(hash)).toBe('text');
});

test('no more is read of a value than a document can be long', async () => {
  const started = await start(known);
  await connected(started);
  expect(started.stub.commands).toContainEqual(['getrange', key, '0', `${3 * 262_144}`]);
});
