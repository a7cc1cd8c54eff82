/** The databases that the gateway runs on. A test that must hold on all of them loops over this list. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
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
  /** The same with the schema, so that no gateway has to make it. In programs without Vitest it is empty, and they do. */
  withSchema(): Promise<TestDatabase>;
}

/** Where `ready-databases.ts` has made the schema once for all tests. */
export const ready = {
  /** A file of SQLite. */
  get sqlite() {
    return process.env.TEST_READY_SQLITE;
  },
  /** The name of a database of the Postgres server. */
  get postgres() {
    return process.env.TEST_READY_POSTGRES;
  },
};

async function sqliteLocation(): Promise<TestDatabase & { readonly file: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-db-'));
  const file = join(directory, 'postern.db');
  return {
    file,
    location: { kind: 'sqlite', file },
    url: `sqlite:${file}`,
    drop: () => rm(directory, { recursive: true, force: true }),
  };
}

const sqlite: TestDialect = {
  name: 'SQLite',
  location: sqliteLocation,
  async withSchema() {
    const place = await sqliteLocation();
    await writeSchema(place.file);
    return place;
  },
};

/** Writes a file with the schema of the gateway, which must not exist. */
export async function writeSchema(file: string): Promise<void> {
  if (ready.sqlite !== undefined) await copyFile(ready.sqlite, file);
}

const postgres = (server: string): TestDialect => {
  async function create(template = ''): Promise<TestDatabase> {
    const name = `postern_test_${randomBytes(8).toString('hex')}`;
    await atServer(server, `create database ${name} ${template}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    const directUrl = url.href;
    const isPooled = process.env.TEST_POOLER_PORT !== undefined;
    if (isPooled) url.port = process.env.TEST_POOLER_PORT ?? '';
    return {
      location: { kind: 'postgres', url: url.href, ...(isPooled ? { directUrl } : {}) },
      url: url.href,
      drop: () => atServer(server, `drop database if exists ${name} with (force)`),
    };
  }
  return {
    name: 'Postgres',
    location: () => create(),
    withSchema: () => create(ready.postgres && `template ${ready.postgres}`),
  };
};

/** What a gateway on this database needs besides its address. */
export function direct(databaseUrl = ''): { readonly DATABASE_DIRECT_URL?: string } {
  const url = URL.parse(databaseUrl);
  if (url === null || postgresUrl === undefined || url.port !== process.env.TEST_POOLER_PORT) return {};
  url.port = new URL(postgresUrl).port;
  return { DATABASE_DIRECT_URL: url.href };
}

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
