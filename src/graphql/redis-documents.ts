/** The documents of persisted queries in a Redis server, for all processes that share it. */
import { connectRedis, type RedisServerOptions } from '../redis.ts';
import { operationLimits } from './cost/limits.ts';
import type { SharedDocuments } from './persisted-queries.ts';

/** A document that no process has stored or read in this time expires. */
const lifetimeSeconds = 7 * 86_400;

/** No more is read, whatever is there: what is longer is no document that would be executed. */
const maxBytes = 3 * operationLimits.characters;

/** No installation is in the key: a document is known by its hash, and is the same wherever it comes from. */
const keyOf = (sha256: string): string => `postern:document:${sha256}`;

/** Where the server does not respond in time, no document is known for a second. */
export function createRedisDocuments(server: Omit<RedisServerOptions, 'use'>): SharedDocuments {
  const redis = connectRedis({ ...server, use: 'persisted queries' });
  const { client, onSuccess, onFailure } = redis;
  return {
    async get(sha256) {
      if (!redis.isAvailable()) return undefined;
      try {
        const document = await client.getrange(keyOf(sha256), 0, maxBytes);
        onSuccess();
        if (document === '') return undefined;
        client.expire(keyOf(sha256), lifetimeSeconds).catch(onFailure);
        return document;
      } catch (error) {
        onFailure(error);
        return undefined;
      }
    },
    set(sha256, document) {
      if (redis.isAvailable()) client.set(keyOf(sha256), document, 'EX', lifetimeSeconds).catch(onFailure);
    },
    close: redis.close,
  };
}
