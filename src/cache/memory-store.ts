/** Responses in the memory of the process: those that were used last, within a bound in bytes. */
import { LRUCache } from 'lru-cache';
import type { CacheEntry, FoundResponse, ResponseStore } from './response-store.ts';

export interface MemoryStore extends ResponseStore {
  get(tenant: string, key: string): FoundResponse;
  /** What it holds, in bytes. */
  readonly bytes: number;
}

/** What an entry takes beside its body, in bytes. */
const entryBytes = 512;

/** Tenants whose last invalidation is remembered by itself. */
const maxTenants = 10_000;

interface Entry {
  readonly generation: string;
  readonly body: Buffer;
  readonly until: number;
}

/**
 * A store in the memory of this process. Beyond the bound it evicts the least recently used entries. Entries that have expired or are
 * stale go when they are looked up, or with the others.
 * @param maxBytes of all entries, with what each takes beside its body
 * @param elapsed milliseconds of a clock that only goes forward
 */
export function createMemoryStore(
  { maxBytes }: { readonly maxBytes: number },
  elapsed: () => number = () => performance.now(),
): MemoryStore {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }) => body.length + entryBytes,
  });
  /** Counts the invalidations of all tenants, so that no number comes twice. */
  let invalidations = 0;
  /** The last invalidation that concerns every tenant without an entry of its own. */
  let lastOfOthers = 0;
  const lastInvalidations = new LRUCache<string, number>({
    max: maxTenants,
    dispose: (invalidation, _tenant, reason) => {
      if (reason === 'evict') lastOfOthers = Math.max(lastOfOthers, invalidation);
    },
  });
  const generationOf = (tenant: string) => String(Math.max(lastOfOthers, lastInvalidations.get(tenant) ?? 0));

  return {
    get(tenant, key) {
      const generation = generationOf(tenant);
      const entry = entries.get(key);
      if (entry === undefined) return { generation, body: null };
      if (entry.generation !== generation || entry.until <= elapsed()) {
        entries.delete(key);
        return { generation, body: null };
      }
      return { generation, body: entry.body };
    },
    set({ tenant, key, generation, body, lifetimeMs }: CacheEntry) {
      // Nobody would find it.
      if (generation !== generationOf(tenant)) return false;
      entries.set(key, { generation, body: copyOf(body), until: elapsed() + lifetimeMs });
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
  };
}

/**
 * A copy in memory of its own. `Buffer.from` puts what is small into a block that Node.js shares among buffers: one small entry
 * would hold the whole block, so that the store would take a multiple of its bound.
 */
function copyOf(body: Uint8Array | string): Buffer {
  const copy = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  if (typeof body === 'string') copy.write(body);
  else copy.set(body);
  return copy;
}
