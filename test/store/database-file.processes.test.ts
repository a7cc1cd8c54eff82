/**
 * A gateway holds the locks of its file from its start to its end, whatever runs beside it: so no client takes itself for the
 * last one and deletes the log in use. Where the files are replaced all the same, nothing more is acknowledged.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Started, startProcess, startPrograms, temporaryDirectory } from '../support/process.ts';

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

const programs = startPrograms();
afterAll(() => programs.close());

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let file: string;

beforeEach(async () => {
  folder = await temporaryDirectory();
  file = join(folder.path, 'data/postern.db');
});
afterEach(() => folder[Symbol.asyncDispose]());

interface Running extends Started {
  readonly address: string;
  readonly key: string;
}

async function start(path = file, environment = {}): Promise<Running> {
  const started = startProcess('src/app/main.js', [], { DATABASE_URL: `sqlite:${path}`, PORT: '0', ...environment });
  onTestFinished(() => kill(started));
  const [, address = ''] = await started.line(/GraphiQL and GraphQL: (http\S+)\/graphql/);
  return { ...started, address, key: readFileSync(join(dirname(path), 'demo-key'), 'utf8').trim() };
}

async function kill({ child, ended }: Started): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

let webhooks = 0;
/** @returns the id of the webhook, or the type of the error */
async function createWebhook({ address, key }: Running): Promise<{ status: number; id?: string; type?: string }> {
  webhooks += 1;
  const response = await fetch(`${address}/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ source: 'users', request_url: `https://hooks.example/${webhooks}` }),
  });
  const body = (await response.json()) as { id?: string; webhook_id?: string; type?: string };
  return { status: response.status, ...body, id: body.webhook_id ?? body.id ?? '' };
}

const stored = (): string[] => {
  const database = new DatabaseSync(file);
  const rows = database.prepare('select id from webhooks').all() as { id: string }[];
  database.close();
  return rows.map(({ id }) => id);
};

/** The names of the files of the database on which a process holds locks. */
function locked({ child }: Started): string[] {
  const locks = readFileSync('/proc/locks', 'utf8').split('\n');
  const inodes = locks.flatMap((line) => {
    const [, , , , pid, place = ''] = line.split(/\s+/);
    return Number(pid) === child.pid ? Number(place.split(':')[2]) : [];
  });
  return ['', '-shm'].filter((suffix) => inodes.includes(statSync(file + suffix).ino));
}

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)('a gateway holds its locks after every kind of start, and while every command runs', async () => {
  const link = join(folder.path, 'data/link.db');
  mkdirSync(dirname(file));
  symlinkSync('postern.db', link);
  const all = ['', '-shm'];
  const gateways = [await start(), await start(link)];
  expect(gateways.map(locked)).toEqual([all, all]);
  const observed = { METRICS_PORT: '0' };
  const upstream = { UPSTREAM_URL: 'http://127.0.0.1:9', UPSTREAM_API_KEY: 'a key' };
  const own = { ...upstream, WEBHOOKS: 'own', PUBLIC_URL: 'http://127.0.0.1:9' };
  for (const environment of [{}, observed, upstream]) {
    gateways.push(await start(file, environment));
  }
  const hold = () => gateways.map(locked);
  const every = gateways.map(() => all);
  expect(hold()).toEqual(every);
  const folderOfCommands = join(import.meta.dirname, '../../src/app/cli');
  const commands = readdirSync(folderOfCommands).filter(
    (name) =>
      // A client of a gateway: it opens no database.
      name !== 'listen.ts' &&
      /^await run(?:Command|Program)\(/m.test(readFileSync(join(folderOfCommands, name), 'utf8')),
  );
  const workspace = ['--workspace', 'Demo'];
  const runs: Readonly<Record<string, readonly (readonly string[])[]>> = {
    'accounts.ts': [['list'], ['connect', ...workspace, '--type', 'PNET']],
    'backup.ts': [[join(folder.path, 'backup')]],
    'intake.ts': [['status']],
    'keys.ts': [['create', ...workspace, '--name', 'k'], ['list'], ['revoke', 'nothing']],
    'migrate.ts': [[], ['--check']],
    'restore.ts': [[join(folder.path, 'backup')]],
    'sandbox.ts': [['events'], ['emit', 'users', 'new_relation']],
  };
  expect(Object.keys(runs)).toEqual(commands.sort());
  for (const [command, list] of Object.entries(runs)) {
    for (const args of list) {
      const environment = command === 'intake.ts' ? own : {};
      await programs.run(`src/app/cli/${command}`, args, { DATABASE_URL: `sqlite:${file}`, ...environment });
      expect([command, args, hold()]).toEqual([command, args, every]);
    }
  }
  for (const { address } of gateways.slice(0, 3)) expect((await fetch(`${address}/readyz`)).status).toBe(200);
  expect(hold()).toEqual(every);
  for (const running of gateways.slice(0, 3)) expect((await createWebhook(running)).status).toBe(201);
  await kill(gateways.pop() as Running);
  expect(gateways.map(locked)).toEqual(gateways.map(() => all));
});

/** SQLite before 3.51 does not ask whether its own process has the file open. */
const readByOthers = `import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute('select count(*) from webhooks').fetchone()
connection.close()`;
const python = spawnSync('python3', ['-c', 'import sqlite3']).status === 0;

test.skipIf(!python).each([1, 2])(
  'what %i gateways acknowledge outlives a client that reads the file',
  async (count) => {
    const gateways: Running[] = [];
    while (gateways.length < count) gateways.push(await start());
    const acknowledged: (string | undefined)[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (const running of gateways) {
        const { status, id } = await createWebhook(running);
        expect(status).toBe(201);
        acknowledged.push(id);
        execFileSync('python3', ['-c', readByOthers, file]);
      }
    }
    expect(existsSync(`${file}-wal`)).toBe(true);
    for (const running of gateways) await kill(running);
    expect(stored()).toEqual(expect.arrayContaining(acknowledged));
  },
);

describe.each([
  ['the log is deleted', () => rmSync(`${file}-wal`)],
  ['the index of the log is deleted', () => rmSync(`${file}-shm`)],
  ['the log is emptied', () => truncateSync(`${file}-wal`)],
  ['the log is cut', () => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 4_096)],
  ['the log is cut behind its header', () => truncateSync(`${file}-wal`, 32)],
  ['the database is deleted', () => rmSync(file)],
  ['the database is emptied', () => truncateSync(file)],
  [
    'the database is moved away, and another comes',
    () => {
      renameSync(file, `${file}.before`);
      new DatabaseSync(file).exec('create table webhooks (id text)');
    },
  ],
])('when %s', (_name, replace) => {
  test('nothing more is acknowledged, the gateway is not ready, and the log says so once', async () => {
    const running = await start();
    expect(await createWebhook(running)).toMatchObject({ status: 201 });
    replace();
    // An empty log may be SQLite's own until something is written to it: that write may have been carried out.
    expect([503, 504]).toContain((await createWebhook(running)).status);
    for (let n = 0; n < 2; n += 1) {
      expect(await createWebhook(running)).toMatchObject({ status: 503, type: 'errors/service_unavailable' });
    }
    expect((await fetch(`${running.address}/readyz`)).status).toBe(503);
    running.child.kill('SIGTERM');
    const { stdout } = await running.ended;
    const said = stdout.split('\n').filter((line) => line.includes('"the files of the database are gone'));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/was replaced, emptied or deleted: /);
  });
});

test('a log that SQLite itself empties or starts anew is the one that the gateway has open', async () => {
  const running = await start();
  const acknowledged: (string | undefined)[] = [];
  for (const mode of ['truncate', 'restart', 'full', 'passive', 'truncate']) {
    for (let n = 0; n < 2; n += 1) {
      const { status, id } = await createWebhook(running);
      expect([mode, status]).toEqual([mode, 201]);
      acknowledged.push(id);
    }
    using other = new DatabaseSync(file, { timeout: 5_000 });
    other.exec(`pragma journal_size_limit = 0; pragma wal_checkpoint(${mode})`);
    if (mode === 'restart')
      other.exec("update webhooks set name = 'x' where false; create table if not exists extra (id)");
  }
  expect((await fetch(`${running.address}/readyz`)).status).toBe(200);
  await kill(running);
  expect(stored()).toEqual(expect.arrayContaining(acknowledged));
});

test('a file with two names is no database: each would have a log of its own', async () => {
  const running = await start();
  const other = join(folder.path, 'other.db');
  linkSync(file, other);
  for (const name of [file, other]) {
    const { code, stderr } = await programs.run('src/app/main.js', [], { DATABASE_URL: `sqlite:${name}`, PORT: '0' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/has 2 names \(hard links\)/);
  }
  expect(await createWebhook(running)).toMatchObject({ status: 201 });
});
