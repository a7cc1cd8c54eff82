/**
 * Databases with the schema of the gateway, made once for a whole run and copied for each gateway of a test: its steps, which
 * have suites of their own, took a fifth of the CPU time of a start on SQLite.
 */
import { openDatabase } from '../../src/store/database.ts';
import { databases, ready } from './databases.ts';
import { startPooler } from './pooler.ts';

export default async function makeReady(): Promise<(() => Promise<void>) | undefined> {
  // Vitest calls this for each project.
  if (ready.sqlite !== undefined) return;
  const made = await Promise.all(
    databases.map(async (dialect) => {
      const place = await dialect.location();
      const database = await openDatabase(place.location);
      await database.destroy();
      return place;
    }),
  );
  for (const { location } of made) {
    if (location.kind === 'sqlite') process.env.TEST_READY_SQLITE = location.file;
    else process.env.TEST_READY_POSTGRES = new URL(location.url).pathname.slice(1);
  }
  const pooler = await poolerOfTests();
  return async () => {
    await pooler?.[Symbol.asyncDispose]();
    for (const place of made) await place.drop();
  };
}

/** `TEST_POOLER=transaction npx vitest run …` has all gateways of the suites on Postgres behind PgBouncer, with few sessions. */
async function poolerOfTests() {
  const mode = process.env.TEST_POOLER;
  if (mode === undefined) return null;
  if (mode !== 'transaction' && mode !== 'session') throw new Error('TEST_POOLER is neither transaction nor session');
  const pooler = await startPooler(mode, mode === 'transaction' ? 4 : 100);
  process.env.TEST_POOLER_PORT = new URL(pooler.through('postgres://x')).port;
  return pooler;
}
