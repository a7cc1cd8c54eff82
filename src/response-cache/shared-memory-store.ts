/** Responses in the memory of each process, where processes send one another invalidations. */
import type { Logger } from 'pino';
import type { InvalidationChannel } from '../invalidation-channel.ts';
import { createInvalidationBroadcaster } from './invalidation-broadcaster.ts';
import type { MemoryStore } from './memory-store.ts';
import { type ResponseStore, unavailable } from './response-store.ts';

/**
 * A memory store that other processes invalidate too. While the channel is not connected it has nothing and stores nothing, and
 * once it is again, everything from before is invalid.
 */
export function createSharedMemoryStore(
  memory: MemoryStore,
  channel: InvalidationChannel,
  { logger }: { readonly logger: Logger },
): ResponseStore {
  let isListening = false;
  channel.listen({
    onInvalidation: (tenant) => void memory.invalidate(tenant),
    onConnected() {
      memory.invalidateAll();
      isListening = true;
    },
    onLost() {
      isListening = false;
    },
  });
  let isFailing = false;
  const broadcaster = createInvalidationBroadcaster(
    async (tenant) => {
      await channel.publish(tenant);
      isFailing = false;
    },
    (err) => {
      // It is tried again every second, for each tenant.
      if (!isFailing) logger.warn({ err }, 'other processes could not be notified of a change; trying again');
      isFailing = true;
    },
  );
  return {
    get: (tenant, key) => (isListening ? memory.get(tenant, key) : unavailable),
    set: (response) => isListening && memory.set(response),
    async invalidate(tenant) {
      await memory.invalidate(tenant);
      await broadcaster.broadcast(tenant);
    },
    async close() {
      broadcaster.close();
      await memory.close();
    },
  };
}
