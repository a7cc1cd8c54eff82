/** A row per bucket that is not full. */

import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { rowsTable, rowsText } from '../store/json.ts';
import { unlocked } from '../store/locks.ts';
import { byDialect } from '../store/query-compilers.ts';
import { statementTime } from '../store/statement-time.ts';
import { maxAhead, type RateLimitStore } from './rate-limit-settlement.ts';

/** Microseconds between deletions of full buckets' rows. */
const cleanEvery = 60_000_000;

const [greatest, least] = [
  byDialect({ sqlite: () => sql`max`, postgres: () => sql`greatest` }),
  byDialect({ sqlite: () => sql`min`, postgres: () => sql`least` }),
];

export function databaseRateLimits(database: Database): RateLimitStore {
  let cleanedAt = 0;
  return {
    async add(grants, now) {
      const at = statementTime(now, 1_000_000);
      // First, as nothing is added yet if it fails; also after the clock was set back.
      if (Math.abs(now - cleanedAt) >= cleanEvery) {
        await sql`
          delete from rate_limits where id in (select id from rate_limits where full_at < ${at} ${unlocked()})`.execute(
          database,
        );
        cleanedAt = now;
      }
      const granted = [...grants].map(([id, amount]) => ({ id, amount }));
      const rows = rowsTable('granted', rowsText({ id: 'text', amount: 'bigint' }, granted));
      // Ordered by id: two processes that settle the same buckets cannot deadlock.
      const { rows: settled } = await sql<{ id: string; ahead: number }>`
        insert into rate_limits (id, full_at)
        select granted.id, ${at} + ${least}(${maxAhead}, granted.amount) from ${rows} where true order by granted.id
        on conflict (id) do update
          set full_at = ${at} + ${least}(${maxAhead}, excluded.full_at - ${at} + case
            when rate_limits.full_at > ${at} + ${2 * maxAhead} then 0
            else ${greatest}(rate_limits.full_at - ${at}, 0) end)
        returning id, full_at - ${at} as ahead`.execute(database);
      return new Map(settled.map(({ id, ahead }) => [id, ahead]));
    },
  };
}
