/** The databases that the gateway runs on, each made anew for a test: what must hold on both loops over this list. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseLocation } from '../../src/store/database.ts';
import { postgresUrl } from './servers.ts';

export interface TestDatabase {
  readonly location: DatabaseLocation;
  /** The same place as the value of `DATABASE_URL`. */
  readonly url: string;
  /** Removes the database with all that is in it, whoever still has it open. */
  drop(): Promise<void>;
}

export interface TestDialect {
  readonly name: 'SQLite' | 'Postgres';
  /** Makes room for a database of its own; it is empty. */
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

/** SQLite, and Postgres where the machine has a server for tests. */
export const databases: readonly TestDialect[] = postgresUrl === undefined ? [sqlite] : [sqlite, postgres(postgresUrl)];

async function atServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
