/** Which processes are alive: those that hold their lock, and no others. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, openUnmigrated, ping } from '../../src/store/database.ts';
import { aliveWhileOpen, newProcessId, openPresence, type Presence } from '../../src/store/presence.ts';
import { lockAsGateway, openFilePresence } from '../../src/store/process-files.ts';
import { databases, type TestDatabase } from '../support/databases.ts';

describe.each(databases)('presence on $name', (dialect) => {
  let place: TestDatabase;
  let database: Database;
  let clock: number;
  let closing: (() => unknown)[];

  /** A process, as far as the database can tell. */
  const open = async (): Promise<Presence & { end: () => Promise<void> }> => {
    const processId = newProcessId(randomBytes);
    const presence = openPresence(database, place.location, { processId, randomBytes, clock: () => clock });
    if (place.location.kind === 'sqlite') return { ...presence, end: async () => presence.close() };
    const queue = await openUnmigrated(place.location, { session: aliveWhileOpen(processId) });
    closing.push(() => queue.destroy());
    await ping(queue);
    return { ...presence, end: () => queue.destroy() };
  };

  beforeEach(async () => {
    place = await dialect.location();
    database = await openDatabase(place.location);
    clock = 0;
    closing = [];
  });
  afterEach(async () => {
    for (const close of closing) await close();
    await database.destroy();
    await place.drop();
  });

  it('lasts as long as its process', async () => {
    const [one, other] = [await open(), await open()];
    expect(await one.findDead([other.id])).toEqual([]);
    await other.end();
    // On Postgres its connection may have been lost, and is opened again then.
    if (dialect.name === 'Postgres') expect(await one.findDead([other.id])).toEqual([]);
    clock += 3_000;
    await expect.poll(() => one.findDead([other.id, one.id])).toEqual([other.id]);
    await one.end();
  });

  it('declares nobody dead without a lock of its own', async () => {
    const [one, other] = [await open(), await open()];
    await other.end();
    await one.end();
    if (dialect.name === 'SQLite') return;
    await one.findDead([other.id]);
    clock += 3_000;
    expect(await one.findDead([other.id])).toEqual([]);
  });
});

describe('a process on SQLite that is killed', () => {
  let place: TestDatabase;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    const [sqlite] = databases;
    if (sqlite === undefined) throw new Error('there is no SQLite');
    place = await sqlite.location();
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await place.drop();
  });

  it('is known to be dead at once, and leaves nothing', async () => {
    const { location } = place;
    if (location.kind !== 'sqlite') throw new Error('there is no SQLite');
    const { file } = location;
    const database = await openDatabase(location);
    const module = new URL('../../src/store/process-files.ts', import.meta.url).href;
    const program = `const { openFilePresence } = await import('${module}');
      const presence = openFilePresence(${JSON.stringify(file)}, () => '${'d'.repeat(8)}');
      console.log(presence.id);
      // What nothing refers to is collected, and its lock is released.
      setInterval(() => presence, 1_000);`;
    child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    const id = String(line).trim();
    const presence = openPresence(database, location, { processId: newProcessId(randomBytes), randomBytes });
    expect(await presence.findDead([id])).toEqual([]);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect(await presence.findDead([id])).toEqual([id]);
    const files = () => readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}-process-`));
    expect(files()).toEqual([`${basename(file)}-process-${presence.id}`]);
    presence.close();
    expect(files()).toEqual([]);
    await database.destroy();
  });
});

it('takes a file that cannot be locked for no other gateway, and says why', async () => {
  const [sqlite] = databases;
  const place = await sqlite?.location();
  if (place?.location.kind !== 'sqlite') throw new Error('there is no SQLite');
  const { file } = place.location;
  writeFileSync(`${file}-gateways`, 'not a database'.repeat(1_000));
  expect(() => lockAsGateway(file, { alone: false })).toThrow(/-gateways, .* cannot be locked: file is not a database/);
  await place.drop();
});

it('on SQLite, is seen by a process that knows the file by a symbolic link', async () => {
  const [sqlite] = databases;
  const place = await (sqlite as NonNullable<typeof sqlite>).location();
  const file = place.location.kind === 'sqlite' ? place.location.file : '';
  await (await openDatabase(place.location)).destroy();
  const link = `${file}.link`;
  symlinkSync(basename(file), link);
  const [one, other] = [openFilePresence(file, () => 'aaaaaaaa'), openFilePresence(link, () => 'bbbbbbbb')];
  expect([one.findDead([other.id, 'cccccccc']), other.findDead([one.id])]).toEqual([['cccccccc'], []]);
  one.close();
  other.close();
  await place.drop();
});
