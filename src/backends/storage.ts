/** What is kept in the gateway's own database, whatever its backend. It is loaded only where there is one. */
import type { Logger } from 'pino';
import { authenticate, findRefusedKeys, revocationChannel } from '../auth/api-keys.ts';
import type { Authenticate } from '../auth/caller.ts';
import type { RateLimitStore } from '../auth/rate-limit-settlement.ts';
import { rememberKeys } from '../auth/remembered-keys.ts';
import type { ServiceError } from '../errors.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { type Database, type DatabaseLocation, openDatabase, ping } from '../store/database.ts';
import { databaseIdempotency } from '../store/idempotency.ts';
import { listen } from '../store/postgres-listener.ts';
import { databaseRateLimits } from '../store/rate-limits.ts';

export interface Storage {
  readonly database: Database;
  readonly rateLimits: RateLimitStore;
  readonly idempotency: Idempotency;
  /** Finds the caller of an API key. What it found is kept for a second, or until a key is revoked. */
  readonly authenticate: Authenticate;
  /** Those of the keys that cannot be used any more, with the reason, by their ids. */
  refusedKeys(keyIds: readonly string[], at: Date): Promise<ReadonlyMap<string, ServiceError>>;
  /** Rejects while the database cannot be reached. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** @throws DatabaseUnavailable when the database cannot be opened */
export async function openStorage(
  location: DatabaseLocation,
  { now, logger }: { readonly now: () => Date; readonly logger: Logger },
): Promise<Storage> {
  const database = await openDatabase(location);
  const keys = rememberKeys((apiKey) => authenticate(database, apiKey, now()), { now });
  // SQLite tells nobody: there a revocation is heard of when the second is over.
  const revocations =
    location.kind === 'postgres'
      ? listen(location.url, {
          channels: [revocationChannel],
          onMessage: keys.forget,
          onConnected: keys.forget,
          logger,
        })
      : null;
  return {
    database,
    authenticate: keys.authenticate,
    refusedKeys: (keyIds, at) => findRefusedKeys(database, keyIds, at),
    rateLimits: databaseRateLimits(database, location.kind),
    idempotency: databaseIdempotency(database, now, logger),
    ready: () => ping(database),
    async close() {
      try {
        await revocations?.close();
      } finally {
        await database.destroy();
      }
    },
  };
}
