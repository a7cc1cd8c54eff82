/** The README's commands for a backup on Postgres, run as they stand there. */
import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { linesOfSection } from '../support/docs.ts';
import { startGateway } from '../support/gateway.ts';
import { temporaryDirectory } from '../support/process.ts';
import { hasPostgresTools } from '../support/servers.ts';

const postgres = databases.find(({ name }) => name === 'Postgres');

test.skipIf(!hasPostgresTools || postgres === undefined)('a dump is restored completely', async () => {
  if (postgres === undefined) return;
  const folder = await temporaryDirectory();
  const gateway = await startDelivering({ dialect: postgres });
  const place = await postgres.location();
  onTestFinished(async () => {
    await gateway.close();
    await place.drop();
    await folder[Symbol.asyncDispose]();
  });
  await gateway.emit(1);
  const run = (command: string | undefined, url: string) =>
    execFileSync('sh', ['-ec', command ?? 'false'], {
      cwd: folder.path,
      env: { ...process.env, DATABASE_URL: url },
      stdio: 'pipe',
    });
  run(linesOfSection('Backup and restore', 'pg_dump')[0], gateway.databaseUrl);
  run(linesOfSection('Backup and restore', 'pg_restore')[0], place.url);
  const restored = await startGateway({ environment: { DATABASE_URL: place.url } });
  onTestFinished(restored.close);
  const events = await restored.app.database.selectFrom('events').select('id').execute();
  expect(events).toHaveLength(1);
  expect((await fetch(`${restored.address}/readyz`)).status).toBe(200);
});
