/** Least recently used entries go first, beyond a bound in bytes. */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { CacheEntry, FoundResponse, ResponseStore } from './response-store.ts';

const entryBytes = 512;

const maxTenants = 10_000;

interface Entry {
  readonly generation: string;
  readonly body: Buffer;
  readonly until: number;
}

/** Drops stale entries at their look-up. @param maxBytes with overhead */
export function createMemoryStore({ maxBytes }: { readonly maxBytes: number }, clock: Clock = () => performance.now()) {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }) => body.length + entryBytes,
  });
  /** Counts those of all tenants, so that no number comes twice. */
  let invalidations = 0;
  /** The last one that concerns tenants without an entry. */
  let lastOfOthers = 0;
  const lastInvalidations = new LRUCache<string, number>({
    max: maxTenants,
    dispose: (invalidation, _tenant, reason) => {
      if (reason === 'evict') lastOfOthers = Math.max(lastOfOthers, invalidation);
    },
  });
  const generationOf = (tenant: string) => String(Math.max(lastOfOthers, lastInvalidations.get(tenant) ?? 0));

  return {
    get(tenant: string, key: string): FoundResponse {
      const generation = generationOf(tenant);
      const entry = entries.get(key);
      if (entry === undefined) return { generation, body: null };
      if (entry.generation !== generation || entry.until <= clock()) {
        entries.delete(key);
        return { generation, body: null };
      }
      return { generation, body: entry.body };
    },
    set({ tenant, key, generation, body, lifetimeMs }: CacheEntry) {
      // Nobody would find it.
      if (generation !== generationOf(tenant)) return false;
      entries.set(key, { generation, body: copyOf(body), until: clock() + lifetimeMs });
      return entries.has(key);
    },
    async invalidate(tenant) {
      invalidations += 1;
      lastInvalidations.set(tenant, invalidations);
    },
    get bytes() {
      return entries.calculatedSize;
    },
    async close() {
      entries.clear();
    },
  } satisfies ResponseStore & { readonly bytes: number };
}

/** Memory of its own: `Buffer.from` shares blocks, and one small entry would hold a whole one. */
function copyOf(body: Uint8Array | string): Buffer {
  const copy = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  if (typeof body === 'string') copy.write(body);
  else copy.set(body);
  return copy;
}
