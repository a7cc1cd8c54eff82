/** What the log is told of a Redis server, and what a server that refuses commands costs. */
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createRedisStore } from '../src/cache/redis-store.ts';
import { startRedisStub } from './support/redis-stub.ts';

type Reply = Parameters<typeof startRedisStub>[0];

/** Responses in a server that says this. */
async function start(reply: Reply) {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const stub = await startRedisStub(reply);
  const responses = createRedisStore({ url: stub.url, logger, installation: 'i', randomBytes: Buffer.alloc });
  onTestFinished(async () => {
    await responses.close();
    await stub.close();
  });
  return { stub, responses, lines };
}

const response = { tenant: 't', key: 'k', generation: 'g', body: '{"response":1}', lifetimeMs: 1_000 };
const found = { generation: 'g', body: Buffer.from('known') };
const known: Reply = (name) => (name === 'mget' ? '*2\r\n$1\r\ng\r\n$6\r\ngknown' : undefined);
const connected = ({ responses }: Awaited<ReturnType<typeof start>>) =>
  expect.poll(() => responses.get('t', 'k')).toEqual(found);

test.each([
  ['a password that is wrong', '-WRONGPASS invalid username-password pair or user is disabled.'],
  ['a command that is not known', "-ERR unknown command 'x', with args beginning with: 'stub-password' 'SENT' "],
])('the log is not told what was sent: %s', async (_, refusal) => {
  const { lines } = await start((name) => (name === 'auth' ? refusal : undefined));
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines.join()).not.toMatch(/stub-password|SENT/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'Redis does not respond', err: { command: 'auth' } });
});

test('of a server that refuses to write, the log is told once, and no response; what it has is found', async () => {
  const full = '-OOM command not allowed when used memory > maxmemory.';
  const started = await start((name, command) => (name === 'set' ? full : known(name, command)));
  await connected(started);
  const { stub, responses, lines } = started;
  lines.length = 0;
  for (let times = 0; times < 3; times += 1) {
    responses.set(response);
    await responses.invalidate('another');
  }
  await expect.poll(() => stub.commands.filter(([name]) => name === 'set')).toHaveLength(6);
  expect(await responses.get('t', 'k')).toEqual(found);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['Redis refuses a command']);
  expect(lines.join()).not.toMatch(/response"|generation/);
});

test('a value of another type hides no other response', async () => {
  const wrong = '-WRONGTYPE Operation against a key holding the wrong kind of value';
  const started = await start((name, command) => (command.at(-1)?.endsWith('odd') ? wrong : known(name, command)));
  await connected(started);
  expect(await started.responses.get('t', 'odd')).toEqual({ generation: null, body: null });
  expect(await started.responses.get('t', 'k')).toEqual(found);
});
