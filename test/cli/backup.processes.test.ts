/** Backups: of a gateway under load, what is restored of them, and what the commands refuse. */
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/store/database.ts';
import { graphql } from '../support/gateway.ts';
import { type Started, startProcess, startPrograms, temporaryDirectory } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 60_000 });

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let live: string;
let backup: string;

beforeEach(async () => {
  folder = await temporaryDirectory();
  live = join(folder.path, 'live/postern.db');
  backup = join(folder.path, 'backup');
});
afterEach(() => folder[Symbol.asyncDispose]());

const programs = startPrograms();
afterAll(() => programs.close());
const run = (command: 'backup' | 'restore', args: readonly string[], file = live, environment = {}) =>
  programs.run(`src/app/cli/${command}.ts`, args, { DATABASE_URL: `sqlite:${file}`, ...environment });

interface Running extends Started {
  readonly address: string;
}

/** A gateway on a database file, as `npm start` runs it. */
async function start(file: string, environment = {}): Promise<Running> {
  const started = startProcess('src/app/main.js', [], {
    DATABASE_URL: `sqlite:${file}`,
    PORT: '0',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    EVENTS_PER_SECOND: '0',
    ...environment,
  });
  onTestFinished(() => kill(started));
  const [, address = ''] = await started.line(/GraphiQL and GraphQL: (http\S+)\/graphql/);
  return { ...started, address };
}

async function kill({ child, ended }: Started): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

const emitEvent = `mutation ($name: String!) { emitEvent(input: { accountId: "pnet-----------------A",
  event: NEW_RELATION, data: { user_full_name: $name } }) { __typename } }`;

/** Emits events until the gateway dies. @returns the names of those that it has acknowledged */
function emitting(address: string, key: string): string[] {
  const acknowledged: string[] = [];
  const emit = async () => {
    for (;;) {
      const name = randomBytes(8).toString('hex');
      const { data } = await graphql(address, key, emitEvent, { name });
      if (data?.emitEvent.__typename === 'EventEmitted') acknowledged.push(name);
    }
  };
  // Each of them ends when its gateway does not respond any more.
  for (let n = 0; n < 4; n += 1) emit().catch(() => undefined);
  return acknowledged;
}

async function createWebhook(address: string, key: string, { address: request_url }: Receiver): Promise<void> {
  const { status } = await fetch(`${address}/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ source: 'users', request_url }),
  });
  expect(status).toBe(201);
}

const namesIn = (receiver: Receiver) =>
  new Set(receiver.received.map(({ body }) => String(JSON.parse(body).user_full_name)));

test('events acknowledged before the backup of a gateway under load are restored and delivered', {
  timeout: 90_000,
}, async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  // Nothing is delivered before the crash.
  receiver.answer = () => undefined;
  const first = await start(live);
  const key = readFileSync(join(dirname(live), 'demo-key'), 'utf8').trim();
  await createWebhook(first.address, key, receiver);
  const acknowledged = emitting(first.address, key);
  await expect.poll(() => acknowledged.length).toBeGreaterThan(200);

  const before = [...acknowledged];
  const { code, stdout, stderr } = await run('backup', [backup]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Backed up to \S+: \d+ events, \S+ MB, checked for integrity\. The secret is in it\.\n$/);
  expect(acknowledged.length).toBeGreaterThan(before.length);
  await kill(first);
  expect(readdirSync(folder.path).sort()).toEqual(['backup', 'live']);
  expect(readdirSync(backup).sort()).toEqual(['postern.db', 'secret']);
  expect(statSync(backup).mode & 0o777).toBe(0o700);
  for (const file of readdirSync(backup)) expect(statSync(join(backup, file)).mode & 0o777).toBe(0o600);

  const restored = join(folder.path, 'restored/postern.db');
  expect(await run('restore', [backup], restored)).toMatchObject({ code: 0, stderr: '' });
  expect(statSync(dirname(restored)).mode & 0o777).toBe(0o700);
  for (const name of ['postern.db', 'secret']) {
    expect(statSync(join(dirname(restored), name)).mode & 0o777).toBe(0o600);
  }
  receiver.received.length = 0;
  receiver.answer = (_request, response) => response.end();
  const second = await start(restored);
  await expect.poll(() => before.filter((name) => !namesIn(receiver).has(name))).toEqual([]);
  const { data } = await graphql(second.address, key, emitEvent, { name: 'afterwards' });
  expect(data.emitEvent.__typename).toBe('EventEmitted');
  await expect.poll(() => namesIn(receiver).has('afterwards')).toBe(true);
});

test('a plain copy of the database file of a running gateway loses acknowledged events', async () => {
  const { address } = await start(live);
  const key = readFileSync(join(dirname(live), 'demo-key'), 'utf8').trim();
  for (const name of ['a', 'b']) await graphql(address, key, emitEvent, { name });
  const eventsIn = (file: string) => {
    const database = new DatabaseSync(file);
    try {
      return database.prepare(`select count(*) as count from events where data like '%"user_full_name":"_"%'`).get()
        ?.count;
    } catch (error) {
      return error instanceof Error ? error.message : error;
    } finally {
      database.close();
    }
  };
  const copied = join(folder.path, 'copied.db');
  copyFileSync(live, copied);
  await run('backup', [backup]);
  expect({ copied: eventsIn(copied), backup: eventsIn(join(backup, 'postern.db')) }).toEqual({
    copied: 'no such table: events',
    backup: 2,
  });
});

test('the SECRET of the environment is checked, and stays out of the backup', async () => {
  const SECRET = 's'.repeat(40);
  await kill(await start(live, { SECRET }));
  const checked = await run('backup', [backup], live, { SECRET });
  expect(checked.stdout).toContain('Its secret is the SECRET of this environment');
  expect(readdirSync(backup)).toEqual(['postern.db']);

  const unchecked = await run('backup', [`${backup}-2`]);
  expect(unchecked.stdout).toContain('was not checked');

  const wrong = await run('backup', [`${backup}-3`], live, { SECRET: 'x'.repeat(40) });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('SECRET is not the one') });
  expect(existsSync(`${backup}-3`)).toBe(false);
  const elsewhere = join(folder.path, 'new/postern.db');
  const restored = await run('restore', [backup], elsewhere, { SECRET: 'x'.repeat(40) });
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('SECRET is not the one') });
  expect(existsSync(dirname(elsewhere))).toBe(false);
});

test('nothing is overwritten', async () => {
  await (await openDatabase({ kind: 'sqlite', file: live })).destroy();
  expect(await run('backup', [backup])).toMatchObject({ code: 0 });
  const again = await run('backup', [backup]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`${backup} exists`) });
  const over = await run('restore', [backup]);
  expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining(`${live} exists`) });
  // A log that was left behind would be played back into the restored database.
  const elsewhere = join(folder.path, 'new.db');
  writeFileSync(`${elsewhere}-wal`, '');
  const beside = await run('restore', [backup], elsewhere);
  expect(beside).toMatchObject({ code: 1, stderr: expect.stringContaining(`${elsewhere}-wal exists`) });
  expect(existsSync(elsewhere)).toBe(false);
});

test('a dangling symbolic link is not replaced either, and nothing is left behind', async () => {
  await (await openDatabase({ kind: 'sqlite', file: live })).destroy();
  writeFileSync(join(dirname(live), 'secret'), 'a secret of at least thirty-two characters');
  expect(await run('backup', [backup])).toMatchObject({ code: 0 });
  const nowhere = join(folder.path, 'not mounted/postern.db');
  symlinkSync(nowhere, `${backup}-link`);
  const saved = await run('backup', [`${backup}-link`]);
  expect(saved).toMatchObject({ code: 1, stderr: expect.stringContaining(`${backup}-link exists`) });
  const linked = join(folder.path, 'linked');
  mkdirSync(linked);
  symlinkSync(nowhere, join(linked, 'postern.db'));
  const restored = await run('restore', [backup], join(linked, 'postern.db'));
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('linked/postern.db exists') });
  expect(readdirSync(linked)).toEqual(['postern.db']);
});

const spoil: readonly (readonly [string, (file: string) => void, string])[] = [
  ['cut short', (file) => writeFileSync(file, readFileSync(file).subarray(0, 20_000)), 'is damaged'],
  ['of something else', (file) => writeFileSync(file, 'something else'), 'is damaged: file is not a database'],
  ['empty', (file) => writeFileSync(file, ''), 'is not the database of a gateway'],
];

test.each(spoil)('a backup that is %s is not restored', async (_name, damage, message) => {
  await (await openDatabase({ kind: 'sqlite', file: live })).destroy();
  await run('backup', [backup]);
  await cp(backup, `${backup}-bad`, { recursive: true });
  damage(join(`${backup}-bad`, 'postern.db'));
  const restored = await run('restore', [`${backup}-bad`], join(folder.path, 'new/postern.db'));
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  expect(restored.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(existsSync(join(folder.path, 'new'))).toBe(false);
});

test('on Postgres the commands do nothing, and say which tools do', async () => {
  const environment = { DATABASE_URL: 'postgres://127.0.0.1/postern' };
  const saved = await run('backup', [backup], live, environment);
  expect(saved).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('pg_dump --format=custom') });
  const restored = await run('restore', [backup], live, environment);
  expect(restored).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('pg_restore --no-owner') });
});
