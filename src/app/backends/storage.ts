/** The gateway's own database, whatever the backend; loaded on demand. */
import { accessTokens, isAccessToken } from '../../auth/access-tokens.ts';
import { resealTokens } from '../../auth/account-repository.ts';
import { authenticate, authenticateById, findRefusedKeys } from '../../auth/api-keys.ts';
import { databaseRateLimits } from '../../auth/rate-limit-rows.ts';
import { rememberKeys } from '../../auth/remembered-keys.ts';
import { opensWebhooks, resealWebhooks } from '../../capabilities/webhooks/reseal.ts';
import type { Authenticate } from '../../kernel/caller.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { messageOf } from '../../kernel/lib/to-error.ts';
import type { Keyring, Keys, Secrets } from '../../kernel/secrets/secret.ts';
import type { Vault } from '../../kernel/secrets/vault.ts';
import type { Channels } from '../../store/channel-messages.ts';
import type { DatabaseLocation } from '../../store/database.ts';
import { databaseHealth } from '../../store/database-health.ts';
import { openDatabases } from '../../store/databases.ts';
import type { OnFault } from '../../store/faults.ts';
import { databaseIdempotency } from '../../store/idempotency.ts';
import { observeStore } from '../../store/observed.ts';
import { aliveWhileOpen, newProcessId } from '../../store/presence.ts';
import { type GatewayLock, lockAsGateway } from '../../store/process-files.ts';
import { noTelemetry } from '../../telemetry/telemetry.ts';
import type { Dependencies } from './backend.ts';
import { recognizeSecret, recordSecret, wrongSecret } from './secret-check.ts';

export interface Sealing {
  readonly secrets: Secrets;
  readonly keyring: Keyring;
}

export type Storage = Awaited<ReturnType<typeof openStorage>>;

/** @throws DatabaseUnavailable; ConfigError when a cache in memory would be stale, or cannot be known not to be */
export async function openStorage(
  location: DatabaseLocation,
  {
    now,
    logger,
    randomBytes,
    tokenKeys,
    isCachingInMemory = false,
    telemetry = noTelemetry,
    troubles,
    siblings,
  }: Pick<Dependencies, 'now' | 'logger' | 'randomBytes' | 'telemetry' | 'troubles' | 'siblings'> & {
    readonly tokenKeys: Keys;
    /** Whether the response cache is out of other processes' reach. */
    readonly isCachingInMemory?: boolean;
  },
) {
  const processId = newProcessId(randomBytes);
  const health = databaseHealth(() => databases.keys, { now, logger });
  // A start that fails says why by itself.
  let isOpen = false;
  const onFault: OnFault = (fault) => isOpen && health.onFault(fault);
  const databases = await openDatabases(location, onFault, {
    observer: observeStore(telemetry),
    queueSession: aliveWhileOpen(processId),
    onUnreachable: (reason, secondsLeft) => logger.warn({ reason, secondsLeft }, 'waiting for the database'),
    onWait: () => logger.warn('the migration of the database waits for other sessions'),
  });
  isOpen = true;
  let lock: GatewayLock | null = null;
  try {
    if (location.kind === 'sqlite') lock = lockFor(location.file, isCachingInMemory);
  } catch (error) {
    await databases.close();
    throw error;
  }
  const tokens = accessTokens({
    keys: tokenKeys,
    findKey: (keyId) => authenticateById(databases.keys, keyId, now()),
    now,
    randomBytes,
  });
  const lookUp: Authenticate = (apiKey) =>
    apiKey !== undefined && isAccessToken(apiKey)
      ? tokens.authenticate(apiKey)
      : authenticate(databases.keys, apiKey, now());
  const remembered = rememberKeys(lookUp, { now });
  let channels: Channels | null = siblings?.channels ?? null;
  if (location.kind === 'postgres') {
    const { openChannels } = await import('../../store/channels.ts');
    // This connection is asked for a sign of life, the others only when somebody needs them.
    channels = openChannels(location, { onSilent: databases.renew, logger, ...(troubles && { troubles }) });
  }
  // On SQLite a revocation takes its second: the command that revokes has no messages.
  channels?.subscribe('revocation', { onMessage: remembered.forget, onConnected: remembered.forget });
  return {
    databases,
    tokens,
    /** Finds the caller of an API key or access token; kept for a second, or until a revocation. */
    authenticate: remembered.authenticate,
    refusedKeys: (keyIds: readonly string[], at: Date) => findRefusedKeys(databases.keys, keyIds, at),
    rateLimits: databaseRateLimits(databases.keys),
    idempotency: databaseIdempotency({ database: databases.jobs, now, randomBytes, logger }),
    channels,
    /** Lets other processes find out whether this one is alive. */
    processId,
    /** Seals anew what the previous secret has sealed. @throws ConfigError when the database has another one */
    async useSecret({ secrets, keyring }: Sealing, vault?: Vault) {
      const keys = keyring('check');
      const recognized = await recognizeSecret(databases.keys, keys, secrets);
      if (vault !== undefined && recognized === 'unknown' && !(await opensWebhooks(databases.deliveries, vault))) {
        throw wrongSecret(secrets.origin);
      }
      // Also for a known secret: a process with only the previous one may still run.
      if (vault !== undefined && secrets.previous !== undefined) {
        await resealWebhooks(databases.deliveries, vault);
        await resealTokens(databases.accounts, vault);
      }
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

function lockFor(file: string, isCachingInMemory: boolean): GatewayLock {
  let lock: GatewayLock | null;
  try {
    lock = lockAsGateway(file, { alone: isCachingInMemory });
  } catch (cause) {
    throw new ConfigError(messageOf(cause), { cause });
  }
  if (lock !== null) return lock;
  throw new ConfigError(
    isCachingInMemory
      ? 'RESPONSE_CACHE=memory is for a gateway that is alone on its database, and another one uses it: set RESPONSE_CACHE=redis for both'
      : 'Another gateway on this database caches responses in its memory, where this one could not invalidate them: set RESPONSE_CACHE=redis for both',
  );
}
