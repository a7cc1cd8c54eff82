/** Responses in the memory of each process, where processes tell each other of changes. */
import type { Logger } from 'pino';
import { createInvalidationBroadcaster } from './invalidation-broadcaster.ts';
import type { MemoryStore } from './memory-store.ts';
import { type ResponseStore, unavailable } from './response-store.ts';

/** Carries changes from each process to the others. */
export interface ChangeFeed {
  /** Tells the other processes. Rejects if they may not have been told. */
  publish(tenant: string): Promise<void>;
  /** Replaces the listener before. */
  listen(listener: ChangeListener): void;
}

export interface ChangeListener {
  /** Another process has changed data of this tenant. */
  onChange(tenant: string): void;
  /** Changes are heard of from now on. There may have been some before. */
  onConnected(): void;
  /** Changes are not heard of any more. */
  onLost(): void;
}

export function createSharedMemoryStore(
  memory: MemoryStore,
  feed: ChangeFeed,
  { logger }: { readonly logger: Logger },
): ResponseStore {
  let isListening = false;
  feed.listen({
    onChange: (tenant) => void memory.invalidate(tenant),
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
      await feed.publish(tenant);
      isFailing = false;
    },
    (err) => {
      // It is tried again every second, for each tenant.
      if (!isFailing) logger.warn({ err }, 'other processes could not be told of a change; they are told again');
      isFailing = true;
    },
  );
  return {
    find: (tenant, key) => (isListening ? memory.find(tenant, key) : unavailable),
    keep: (response) => isListening && memory.keep(response),
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
