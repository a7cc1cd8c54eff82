/** What is kept in the gateway's own database, whatever its backend. It is loaded only where there is one. */

import type { RateLimitStore } from '../auth/rate-limit-settlement.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { type Database, type DatabaseLocation, openDatabase, ping } from '../store/database.ts';
import { databaseIdempotency } from '../store/idempotency.ts';
import { databaseRateLimits } from '../store/rate-limits.ts';

export interface Storage {
  readonly database: Database;
  readonly rateLimits: RateLimitStore;
  readonly idempotency: Idempotency;
  /** Rejects while the database cannot be reached. */
  ready(): Promise<void>;
}

/** @throws DatabaseUnavailable when the database cannot be opened */
export async function openStorage(location: DatabaseLocation, now: () => Date): Promise<Storage> {
  const database = await openDatabase(location);
  return {
    database,
    rateLimits: databaseRateLimits(database, location.kind),
    idempotency: databaseIdempotency(database, now),
    ready: () => ping(database),
  };
}
