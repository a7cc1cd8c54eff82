/**
 * Databases with the schema of the gateway, made once for a whole run and copied for each gateway of a test: its steps, which
 * have suites of their own, took a fifth of the CPU time of a start on SQLite.
 */
import { openDatabase } from '../../src/store/database.ts';
import { databases, ready } from './databases.ts';

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
  return async () => {
    for (const place of made) await place.drop();
  };
}
