import type { Logger } from 'pino';
import type { RandomBytes } from '../kernel/ids.ts';
import { createMemoryStore } from './memory-store.ts';
import type { ResponseStore } from './response-store.ts';
import type { ResponseCacheSettings } from './settings.ts';

export async function openResponseStore(
  settings: ResponseCacheSettings,
  { logger, randomBytes }: { readonly logger: Logger; readonly randomBytes: RandomBytes },
): Promise<ResponseStore> {
  if (settings.kind === 'memory') return createMemoryStore(settings);
  const { createRedisStore } = await import('./redis-store.ts');
  return createRedisStore({ ...settings, randomBytes, logger });
}
