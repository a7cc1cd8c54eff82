/** A certificate of the connections to Postgres that is away for a moment, as one is while it is renewed. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databases, type TestDatabase } from '../support/databases.ts';
import { graphql } from '../support/gateway.ts';
import { startProcess, temporaryDirectory } from '../support/process.ts';
import { testSecret } from '../support/webhooks.ts';

const [, dialect] = databases;

/** Ends every connection to the database, as a server does that restarts. */
async function endConnections({ url }: TestDatabase): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}

describe.skipIf(dialect === undefined)('a certificate that is away', () => {
  test.each(['sslrootcert', 'sslcert', 'sslkey'])(
    'ends no process, and is read when it is back: %s',
    async (name) => {
      if (dialect === undefined) throw new Error('There is no Postgres');
      const place = await dialect.location();
      onTestFinished(place.drop);
      await using directory = await temporaryDirectory();
      const file = join(directory.path, 'certificate.pem');
      await writeFile(file, 'read for each connection, and not used without TLS');
      const gateway = startProcess('src/app/main.js', [], {
        PORT: '0',
        DATABASE_URL: `${place.url}?sslmode=disable&${name}=${file}`,
        DEMO: 'off',
        SECRET: testSecret,
      });
      const [, address = ''] = await gateway.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
      const readiness = async () => (await fetch(`${address}/readyz`)).status;
      expect(await readiness()).toBe(200);

      await rename(file, `${file}.old`);
      await endConnections(place);
      await expect.poll(readiness).toBe(503);
      await expect.poll(() => gateway.output()).toContain('ENOENT');
      // An unknown key needs the database, too.
      expect((await graphql(address, 'pk_unknown', '{ viewer { name } }')).status).toBe(503);

      await rename(`${file}.old`, file);
      await expect.poll(readiness).toBe(200);
      expect(gateway.child.exitCode).toBeNull();
      gateway.child.kill('SIGTERM');
      expect(await gateway.ended).toMatchObject({ code: 0 });
    },
    40_000,
  );
});
