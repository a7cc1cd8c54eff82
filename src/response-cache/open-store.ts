import type { Logger } from 'pino';
import type { RandomBytes } from '../ids.ts';
import { createMemoryStore } from './memory-store.ts';
import type { ResponseStore } from './response-store.ts';
import type { ResponseCacheSettings } from './settings.ts';
import { type ChangeFeed, createSharedMemoryStore } from './shared-memory-store.ts';

/** @param changes between the processes that share a database; null where they cannot tell each other */
export async function openResponseStore(
  settings: ResponseCacheSettings,
  changes: ChangeFeed | null,
  { logger, randomBytes }: { readonly logger: Logger; readonly randomBytes: RandomBytes },
): Promise<ResponseStore> {
  if (settings.kind === 'redis') {
    const { createRedisStore } = await import('./redis-store.ts');
    return createRedisStore({ ...settings, randomBytes, logger });
  }
  const memory = createMemoryStore(settings);
  return changes === null ? memory : createSharedMemoryStore(memory, changes, { logger });
}
