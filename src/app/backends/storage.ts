/** What is kept in the gateway's own database, whatever its backend. It is loaded only where there is one. */
import type { Logger } from 'pino';
import { authenticate, findRefusedKeys } from '../../auth/api-keys.ts';
import { databaseRateLimits } from '../../auth/rate-limit-rows.ts';
import type { RateLimitStore } from '../../auth/rate-limit-settlement.ts';
import { rememberKeys } from '../../auth/remembered-keys.ts';
import { opensWebhooks, resealWebhooks } from '../../capabilities/webhooks/reseal.ts';
import type { Authenticate } from '../../kernel/caller.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import type { ServiceError } from '../../kernel/errors.ts';
import type { Idempotency } from '../../kernel/idempotency.ts';
import type { RandomBytes } from '../../kernel/ids.ts';
import type { Keyring, Secrets } from '../../kernel/secrets/secret.ts';
import type { Vault } from '../../kernel/secrets/vault.ts';
import { type Channels, openChannels } from '../../store/channels.ts';
import type { DatabaseLocation } from '../../store/database.ts';
import { type Databases, openDatabases } from '../../store/databases.ts';
import { databaseHealth } from '../../store/health.ts';
import { databaseIdempotency } from '../../store/idempotency.ts';
import { observeStore } from '../../store/observed.ts';
import { aliveWhileOpen, newProcessId } from '../../store/presence.ts';
import { lockAsGateway } from '../../store/sole-gateway.ts';
import { noTelemetry, type Telemetry } from '../../telemetry/telemetry.ts';
import { recognizeSecret, recordSecret, wrongSecret } from './secret-check.ts';

/** The secrets of the deployment, and the keys that they give. */
export interface Sealing {
  readonly secrets: Secrets;
  readonly keyring: Keyring;
}

export interface Storage {
  readonly databases: Databases;
  readonly rateLimits: RateLimitStore;
  readonly idempotency: Idempotency;
  /** Between the processes that share the database; null on SQLite. */
  readonly channels: Channels | null;
  /** The id by which other processes find out whether this one is alive. */
  readonly processId: string;
  /** Finds the caller of an API key. What it found is kept for a second, or until a key is revoked. */
  readonly authenticate: Authenticate;
  /** Those of the keys that cannot be used any more, with the reason, by their ids. */
  refusedKeys(keyIds: readonly string[], at: Date): Promise<ReadonlyMap<string, ServiceError>>;
  /**
   * Uses the secret of the deployment from now on. What the previous one has sealed is sealed anew.
   * @param vault of the webhooks, where the gateway has any
   * @throws ConfigError when the database was used with another secret
   */
  useSecret(sealing: Sealing, vault?: Vault): Promise<void>;
  /** Rejects while the database cannot be reached or written to, or is damaged. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** @throws DatabaseUnavailable when the database cannot be opened; ConfigError when a cache in memory would be stale */
export async function openStorage(
  location: DatabaseLocation,
  {
    now,
    logger,
    randomBytes,
    isCachingInMemory = false,
    telemetry = noTelemetry,
  }: {
    readonly now: () => Date;
    readonly logger: Logger;
    readonly randomBytes: RandomBytes;
    /** Whether responses are cached where no other process can invalidate them. */
    readonly isCachingInMemory?: boolean;
    readonly telemetry?: Telemetry;
  },
): Promise<Storage> {
  const processId = newProcessId(randomBytes);
  const health = databaseHealth(() => databases.keys, location, { now, logger });
  const databases = await openDatabases(location, health.onFault, {
    observer: observeStore(telemetry),
    queueSession: aliveWhileOpen(processId),
    onWait: (holders) => logger.warn({ holders }, 'the migration of the database waits for other sessions'),
  });
  const lock = location.kind === 'sqlite' ? lockAsGateway(location.file, { alone: isCachingInMemory }) : null;
  if (location.kind === 'sqlite' && lock === null) {
    await databases.close();
    throw new ConfigError(
      isCachingInMemory
        ? 'RESPONSE_CACHE=memory is for a gateway that is alone on its database, and another one uses it: set RESPONSE_CACHE=redis for both'
        : 'Another gateway on this database caches responses in its memory, where this one could not invalidate them: set RESPONSE_CACHE=redis for both',
    );
  }
  const remembered = rememberKeys((apiKey) => authenticate(databases.keys, apiKey, now()), { now });
  const channels =
    location.kind === 'postgres'
      ? // This connection is asked for a sign of life, the others only when somebody needs them.
        openChannels(location, { onSilent: databases.renew, logger })
      : null;
  // SQLite tells nobody: there a revocation is heard of when the second is over.
  channels?.subscribe('revocation', { onMessage: remembered.forget, onConnected: remembered.forget });
  return {
    databases,
    authenticate: remembered.authenticate,
    refusedKeys: (keyIds, at) => findRefusedKeys(databases.keys, keyIds, at),
    rateLimits: databaseRateLimits(databases.keys, location.kind),
    idempotency: databaseIdempotency({ database: databases.jobs, kind: location.kind, now, randomBytes, logger }),
    channels,
    processId,
    async useSecret({ secrets, keyring }, vault) {
      const keys = keyring('check');
      const recognized = await recognizeSecret(databases.keys, keys, secrets);
      if (vault !== undefined && recognized === 'unknown' && !(await opensWebhooks(databases.deliveries, vault))) {
        throw wrongSecret(secrets.origin);
      }
      // Also where the current secret is known: a process that has only the previous one may still be running.
      if (vault !== undefined && secrets.previous !== undefined)
        await resealWebhooks(databases.deliveries, location.kind, vault);
      await recordSecret(databases.keys, keys, secrets, recognized);
    },
    ready: health.check,
    async close() {
      try {
        await channels?.close();
      } finally {
        lock?.close();
        await databases.close();
      }
    },
  };
}
