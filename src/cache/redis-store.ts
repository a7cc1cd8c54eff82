/**
 * Responses in Redis, for all processes that share it. Two kinds of keys: the generation of a tenant, a random name, so that none
 * comes back when Redis has forgotten it; and a response, which begins with the generation that it was made in. Both are read in
 * one round trip.
 */
import type { RandomBytes } from '../kernel/ids.ts';
import { createInvalidationBroadcaster } from './invalidation-broadcaster.ts';
import { connectRedis, type RedisServerOptions } from './redis.ts';
import { type ResponseStore, unavailable } from './response-store.ts';
import type { RedisSettings } from './settings.ts';

/** A generation that Redis forgets costs misses only, as the next one has another name. */
const generationSeconds = 86_400;

export interface RedisStoreOptions
  extends Pick<RedisSettings, 'installation'>,
    Pick<RedisServerOptions, 'url' | 'logger' | 'elapsed'> {
  readonly randomBytes: RandomBytes;
}

/**
 * A store in a Redis server. Each lookup asks it, so an invalidation of any process counts at once. Where the server does not respond
 * in time, lookups are skipped for a second.
 */
export function createRedisStore({ installation, randomBytes, ...server }: RedisStoreOptions): ResponseStore {
  const generationKey = (tenant: string) => `postern:${installation}:generation:${tenant}`;
  const responseKey = (key: string) => `postern:${installation}:response:${key}`;
  const redis = connectRedis(server);
  const { client, onSuccess, onFailure } = redis;

  const newGeneration = () => randomBytes(16).toString('base64url');
  const broadcaster = createInvalidationBroadcaster(async (tenant) => {
    await client.set(generationKey(tenant), newGeneration(), 'EX', generationSeconds);
    onSuccess();
  }, onFailure);
  // What this process could not invalidate meanwhile is still there.
  client.on('ready', broadcaster.retryPending);

  /** Not while Redis may still have a generation that this process knows to be stale, nor during the pause after a failure. */
  const mayAsk = (tenant: string): boolean => !broadcaster.hasPending(tenant) && redis.isAvailable();

  /** The generation of a tenant that has none, or another process's that was faster. */
  async function beginGeneration(tenant: string): Promise<string | null> {
    await client.set(generationKey(tenant), newGeneration(), 'EX', generationSeconds, 'NX');
    return client.get(generationKey(tenant));
  }

  return {
    async get(tenant, key) {
      if (!mayAsk(tenant)) return unavailable;
      try {
        const [name, stored] = await client.mgetBuffer(generationKey(tenant), responseKey(key));
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
      client.set(responseKey(key), value, 'PX', Math.ceil(lifetimeMs)).catch(onFailure);
      return true;
    },
    invalidate: broadcaster.broadcast,
    async close() {
      broadcaster.close();
      redis.close();
    },
  };
}
