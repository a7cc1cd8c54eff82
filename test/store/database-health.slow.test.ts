/** /readyz says whether the database can be used: not only reached, but read and written. */
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { lockForWriting } from '../../src/store/sqlite-threads.ts';
import { databases } from '../support/databases.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { canMount, mountSmall } from '../support/mounts.ts';

const [sqlite, postgres] = databases;

async function start(url: string): Promise<Gateway> {
  const gateway = await startGateway({ environment: { DATABASE_URL: url } });
  onTestFinished(gateway.close);
  return gateway;
}

async function emptyDatabase(dialect: typeof sqlite) {
  if (dialect === undefined) throw new Error('There is no such database');
  const place = await dialect.location();
  onTestFinished(place.drop);
  return place;
}

async function readiness({ address }: Gateway) {
  const response = await fetch(`${address}/readyz`);
  await response.text();
  return response.status;
}

/** Why the gateway was not ready, as the log has it. */
const reasons = ({ log }: Gateway): string =>
  JSON.stringify(log.filter(({ msg }) => msg === 'the gateway is not ready'));

/** Overwrites everything after the first page of a file. */
function damage(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  const descriptor = openSync(file, 'r+');
  for (let at = 4_096; at < statSync(file).size; at += 4_096)
    writeSync(descriptor, Buffer.alloc(4_096, 0xa5), 0, 4_096, at);
  closeSync(descriptor);
}

describe('a SQLite file', () => {
  test('that is damaged is not ready', async () => {
    const { location, url } = await emptyDatabase(sqlite);
    const gateway = await start(url);
    damage(location.kind === 'sqlite' ? location.file : '');
    expect(await readiness(gateway)).toBe(503);
    expect(reasons(gateway)).toContain('malformed');
    expect((await fetch(`${gateway.address}/livez`)).status).toBe(200);
  });

  test('in which a statement has found damage is not ready, though it was a moment ago', async () => {
    const { location, url } = await emptyDatabase(sqlite);
    const gateway = await start(url);
    expect(await readiness(gateway)).toBe(200);
    damage(location.kind === 'sqlite' ? location.file : '');
    // What the connection of the gateway has read before, it does not read again.
    await sql`pragma shrink_memory`.execute(gateway.app.database);
    const { errors } = await graphql(gateway.address, 'postern_not-a-key', '{ viewer { name } }');
    expect(errors[0]?.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(await readiness(gateway)).toBe(503);
  });

  test('that is gone is not ready', async () => {
    const { location, url } = await emptyDatabase(sqlite);
    const gateway = await start(url);
    rmSync(location.kind === 'sqlite' ? location.file : '');
    expect(await readiness(gateway)).toBe(503);
    expect(reasons(gateway)).toContain('unable to open');
  });

  test('is written in a thread: its disk does not stop the gateway', async () => {
    const { location, url } = await emptyDatabase(sqlite);
    const gateway = await start(url);
    // Locks are on empty files beside the database, and other gateways have databases of their own.
    const files: (string | null)[] = [];
    const { exec } = DatabaseSync.prototype;
    const statements = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, text) {
      files.push(this.location());
      exec.call(this, text);
    });
    onTestFinished(() => statements.mockRestore());
    const file = location.kind === 'sqlite' ? location.file : '';
    // A file that is locked counts as writable: for the time of the check, the gateway has no transaction.
    const release = await lockForWriting(file);
    expect(await readiness(gateway).finally(release)).toBe(200);
    expect(files).not.toContain(file);
    const written = await sql`select value from deployment where name = 'written'`.execute(gateway.app.database);
    expect(written.rows).toHaveLength(1);
  });

  test('that another process is writing to is ready', async () => {
    const { location, url } = await emptyDatabase(sqlite);
    const gateway = await start(url);
    const writer = new DatabaseSync(location.kind === 'sqlite' ? location.file : '', { timeout: 0 });
    // The gateway may be in a transaction, which goes on only while this thread is free.
    await vi.waitFor(() => writer.exec('begin immediate'), { timeout: 60_000 });
    // It writes until then: who waited for it would wait in vain.
    expect(await readiness(gateway)).toBe(200);
    writer.close();
  });

  test.skipIf(!canMount)('on a disk that cannot be written to is not ready', async () => {
    using disk = mountSmall('16m');
    const gateway = await startGateway({ environment: { DATABASE_URL: `sqlite:${join(disk.path, 'postern.db')}` } });
    disk.protect();
    expect(await readiness(gateway)).toBe(503);
    expect(reasons(gateway)).toContain('readonly database');
    await gateway.close();
  });
});

describe.skipIf(postgres === undefined)('a Postgres server', () => {
  test('that can only be read is not ready, and is ready again when another one has taken over', async () => {
    const { url } = await emptyDatabase(postgres);
    const gateway = await start(url);
    const name = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(() => admin.end());
    // Connections that are open now stay writable, as those to a server that has become a standby do not.
    const readOnly = async (value: 'on' | 'off') => {
      await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    };
    await readOnly('on');
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`,
      [name],
    );
    const notReady = async () => ((await readiness(gateway)) === 503 ? reasons(gateway) : '');
    await expect.poll(notReady).toContain('read-only transaction');
    await readOnly('off');
    await expect.poll(() => readiness(gateway)).toBe(200);
  });
});
