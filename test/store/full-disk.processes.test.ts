/** A disk that is full: what has to be stored is refused, with the reason, and nothing that was acknowledged is lost. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { atServer, type TestDialect } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { canMount, mountSmall } from '../support/mounts.ts';
import { localPostgresUrl } from '../support/servers.ts';

type OnDisk = (path: string) => Pick<TestDialect, 'name' | 'withSchema'>;

const sqliteOn: OnDisk = (path) => ({
  name: 'SQLite',
  async withSchema() {
    const file = join(path, 'postern.db');
    return { location: { kind: 'sqlite', file }, url: `sqlite:${file}`, drop: async () => {} };
  },
});

/** The tables are on the disk, what is written ahead is where the server has it. */
const postgresOn =
  (server: string): OnDisk =>
  (path) => ({
    name: 'Postgres',
    async withSchema() {
      const name = `postern_test_${randomBytes(8).toString('hex')}`;
      const folder = join(path, 'tables');
      mkdirSync(folder);
      execFileSync('chown', ['postgres', folder]);
      await atServer(server, `create tablespace ${name} location '${folder}'`);
      await atServer(server, `create database ${name} tablespace ${name}`);
      // Until then most of the copied template has no place on the disk: space would seem free that is not.
      await atServer(server, 'checkpoint');
      const url = new URL(server);
      url.pathname = `/${name}`;
      return {
        location: { kind: 'postgres', url: url.href },
        url: url.href,
        async drop() {
          await atServer(server, `drop database ${name} with (force)`);
          await atServer(server, `drop tablespace ${name}`);
        },
      };
    },
  });

const servers: readonly (readonly [string, string, OnDisk])[] = [
  ['SQLite', '8m', sqliteOn],
  ...(localPostgresUrl === undefined ? [] : [['Postgres', '48m', postgresOn(localPostgresUrl)] as const]),
];

const emit = `mutation ($accountId: ID!, $data: JSON) { emitEvent(input: {
  accountId: $accountId, event: NEW_RELATION, data: $data }) { __typename ... on EventEmitted { eventId } } }`;

/**
 * Leaves so many bytes of a disk, until space is made or the test ends: a server whose disk stays full neither drops the
 * database nor creates one for other tests.
 * @returns makes space again
 */
function fill(path: string, left: number): () => void {
  const { bavail, bsize } = statfsSync(path);
  const filler = join(path, 'filler');
  const makeSpace = () => rmSync(filler, { force: true });
  onTestFinished(makeSpace);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - left));
  return makeSpace;
}

test.skipIf(!canMount).each(servers)('on %s', async (_name, size, on) => {
  const disk = mountSmall(size);
  onTestFinished(() => disk[Symbol.dispose]());
  const gateway = await startDelivering({ dialect: on(disk.path), environment: { EVENTS_PER_SECOND: '0' } });
  onTestFinished(gateway.close);
  const { address, accountId, space, log } = gateway;
  const acknowledged: string[] = [];
  const emitOnce = async () => {
    const data = { user_full_name: randomBytes(11_000).toString('base64') };
    const { data: result, errors, headers } = await graphql(address, space.key, emit, { accountId, data });
    if (errors.length === 0) acknowledged.push(result.emitEvent.eventId);
    return { failure: errors[0], retryAfter: headers.get('retry-after') };
  };
  const emitUntilRefused = async () => {
    let last: Awaited<ReturnType<typeof emitOnce>>;
    do {
      last = await emitOnce();
    } while (last.failure === undefined);
    return last;
  };

  const makeSpace = fill(disk.path, 1_000_000);
  for (let times = 0; times < 3; times += 1) {
    expect(await emitUntilRefused()).toMatchObject({
      failure: { message: expect.stringContaining('full'), extensions: { code: 'SERVICE_UNAVAILABLE', status: 503 } },
      retryAfter: '5',
    });
  }
  expect(acknowledged.length).toBeGreaterThan(5);
  expect(JSON.stringify(log)).toMatch(/database or disk is full|No space left on device/);
  // What is only read is served.
  expect((await graphql(address, space.key, '{ accounts { nodes { accountId } } }')).errors).toEqual([]);
  expect((await fetch(`${address}/livez`)).status).toBe(200);

  makeSpace();
  expect(await emitOnce()).toMatchObject({ failure: undefined });
  const stored = await gateway.app.database.selectFrom('events').select('id').execute();
  expect(stored.map(({ id }) => id).sort()).toEqual(acknowledged.toSorted());
});
