/**
 * Responses in Redis, shared by processes. Keys are tenants' generations, random names so that none comes back after
 * Redis forgot it, and responses, prefixed with theirs. One round trip reads both: they have one hash slot of a cluster.
 */
import type { RandomBytes } from '../kernel/ids.ts';
import { connectRedis, type RedisServerOptions } from './redis.ts';
import { type RedisSettings, type ResponseStore, unavailable } from './response-store.ts';

/** A generation that Redis forgets costs only misses, as the next has another name. */
const generationSeconds = 86_400;

export interface RedisStoreOptions
  extends Pick<RedisSettings, 'installation'>,
    Pick<RedisServerOptions, 'url' | 'logger' | 'clock'> {
  readonly randomBytes: RandomBytes;
}

/** Each lookup asks the server: invalidations count at once. After a late response lookups pause for a second. */
export function createRedisStore({ installation, randomBytes, ...server }: RedisStoreOptions): ResponseStore {
  const generationKey = (tenant: string) => `postern:${installation}:generation:${tenant}`;
  // The tag in braces decides the slot, as the whole of a key without one does.
  const responseKey = (tenant: string, key: string) => `{${generationKey(tenant)}}:response:${key}`;
  const redis = connectRedis(server);
  const { client, onSuccess, onFailure } = redis;

  const newGeneration = () => randomBytes(16).toString('base64url');
  const broadcaster = createInvalidationBroadcaster(async (tenant) => {
    await client.set(generationKey(tenant), newGeneration(), 'EX', generationSeconds);
    onSuccess();
  }, onFailure);
  // Invalidations that failed meanwhile.
  client.on('ready', broadcaster.retryPending);

  /** Not while Redis may have a generation known to be stale here, nor in the pause after a failure. */
  const mayAsk = (tenant: string): boolean => !broadcaster.hasPending(tenant) && redis.isAvailable();

  /** A new generation, or that of a faster process. */
  async function beginGeneration(tenant: string): Promise<string | null> {
    await client.set(generationKey(tenant), newGeneration(), 'EX', generationSeconds, 'NX');
    return client.get(generationKey(tenant));
  }

  return {
    async get(tenant, key) {
      if (!mayAsk(tenant)) return unavailable;
      try {
        const [name, stored] = await client.mgetBuffer(generationKey(tenant), responseKey(tenant, key));
        onSuccess();
        if (!name) return { generation: await beginGeneration(tenant), body: null };
        const isCurrent = stored?.subarray(0, name.length).equals(name) === true;
        return { generation: name.toString('latin1'), body: isCurrent ? stored.subarray(name.length) : null };
      } catch (error) {
        onFailure(error);
        return unavailable;
      }
    },
    set({ tenant, key, generation, body, lifetimeMs }) {
      if (!mayAsk(tenant)) return false;
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      const value = Buffer.concat([Buffer.from(generation, 'latin1'), bytes]);
      client.set(responseKey(tenant, key), value, 'PX', Math.ceil(lifetimeMs)).catch(onFailure);
      return true;
    },
    invalidate: broadcaster.broadcast,
    async close() {
      broadcaster.close();
      redis.close();
    },
  };
}

/** Between two tries to tell others, in milliseconds. */
const retryMs = 1_000;

/**
 * Sends invalidations to other processes, again until they are sent.
 * @param send rejects if other processes may not have been reached; repeating does no harm
 */
export function createInvalidationBroadcaster(
  send: (tenant: string) => Promise<void>,
  onFailure: (error: unknown) => void,
) {
  /** Each tenant's newest unsent broadcast. */
  const pending = new Map<string, number>();
  let broadcasts = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function broadcast(tenant: string): Promise<void> {
    broadcasts += 1;
    const own = broadcasts;
    // Before publishing: others may still write stale entries, which nobody must read.
    pending.set(tenant, own);
    try {
      await send(tenant);
      // A newer one may stand for a later change; it covers all older ones.
      if (pending.get(tenant) === own) pending.delete(tenant);
    } catch (error) {
      onFailure(error);
      if (timer === undefined && !closed) timer = setTimeout(retryPending, retryMs).unref();
    }
  }

  function retryPending(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const tenant of [...pending.keys()]) broadcast(tenant).catch(onFailure);
  }

  return {
    broadcast,
    hasPending: (tenant: string) => pending.has(tenant),
    retryPending,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
