import type { Logger } from 'pino';
import type { RandomBytes } from '../ids.ts';
import type { InvalidationChannel } from '../invalidation-channel.ts';
import { createMemoryStore } from './memory-store.ts';
import type { ResponseStore } from './response-store.ts';
import type { ResponseCacheSettings } from './settings.ts';
import { createSharedMemoryStore } from './shared-memory-store.ts';

/** Opens the store that the settings choose.
 * @param channel between the processes that share a database; null where they have none */
export async function openResponseStore(
  settings: ResponseCacheSettings,
  channel: InvalidationChannel | null,
  { logger, randomBytes }: { readonly logger: Logger; readonly randomBytes: RandomBytes },
): Promise<ResponseStore> {
  if (settings.kind === 'redis') {
    const { createRedisStore } = await import('./redis-store.ts');
    return createRedisStore({ ...settings, randomBytes, logger });
  }
  const memory = createMemoryStore(settings);
  return channel === null ? memory : createSharedMemoryStore(memory, channel, { logger });
}
