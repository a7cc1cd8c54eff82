/** What survives a crash, by where deliveries are kept. */
import pg from 'pg';
import { call, type Installation } from './installation.ts';
import type { Target } from './targets.ts';

/** A sentence for the report, without its full stop. */
export async function durabilityOf({ store }: Target, { place, producer }: Installation): Promise<string> {
  switch (store) {
    case 'SQLite':
      return 'SQLite with synchronous=FULL';
    case 'Redis':
      return String(await call(producer, { method: 'durability' }));
    case 'nothing':
      return 'the bare loop keeps nothing';
    case 'Postgres': {
      const client = new pg.Client({ connectionString: place });
      await client.connect();
      const { rows } = await client.query<{ setting: string }>(
        `select name || '=' || setting as setting from pg_settings where name in ('fsync', 'synchronous_commit')`,
      );
      await client.end();
      return `Postgres with ${rows.map(({ setting }) => setting).join(' and ')}`;
    }
    default:
      return store satisfies never;
  }
}
