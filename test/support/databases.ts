/** The databases that the gateway runs on. A test that must hold on all of them loops over this list. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseLocation } from '../../src/store/database.ts';
import { postgresUrl } from './servers.ts';

export interface TestDatabase {
  readonly location: DatabaseLocation;
  /** The location as a value of `DATABASE_URL`. */
  readonly url: string;
  /** Deletes the database, even if it is still open. */
  drop(): Promise<void>;
}

export interface TestDialect {
  readonly name: 'SQLite' | 'Postgres';
  /** Creates an empty database for one test. */
  location(): Promise<TestDatabase>;
}

const sqlite: TestDialect = {
  name: 'SQLite',
  async location() {
    const directory = await mkdtemp(join(tmpdir(), 'postern-db-'));
    const file = join(directory, 'postern.db');
    return {
      location: { kind: 'sqlite', file },
      url: `sqlite:${file}`,
      drop: () => rm(directory, { recursive: true, force: true }),
    };
  },
};

const postgres = (server: string): TestDialect => ({
  name: 'Postgres',
  async location() {
    const name = `postern_test_${randomBytes(8).toString('hex')}`;
    await atServer(server, `create database ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    return {
      location: { kind: 'postgres', url: url.href },
      url: url.href,
      drop: () => atServer(server, `drop database if exists ${name} with (force)`),
    };
  },
});

/** SQLite, and Postgres if `TEST_POSTGRES_URL` is set. */
export const databases: readonly TestDialect[] = postgresUrl === undefined ? [sqlite] : [sqlite, postgres(postgresUrl)];

/** How long a disk of another test may be full. */
const fullMs = 60_000;

/** A server writes all of its databases when it creates or drops one: it cannot while a test has filled the disk of another. */
export async function atServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    for (const until = Date.now() + fullMs; ; await sleep(200)) {
      const failure = await client.query(statement).then(
        () => null,
        (error: Error) => error,
      );
      if (failure === null) return;
      if (failure.message !== 'checkpoint request failed' || Date.now() > until) throw failure;
    }
  } finally {
    await client.end();
  }
}
