/** Buckets of several processes, in the memory of one. */
import { LRUCache } from 'lru-cache';
import { maxAhead, type RateLimitStore, usedAt } from './rate-limit-settlement.ts';

/** Most buckets; a forgotten one is full again. */
const maxBuckets = 100_000;

export function memoryRateLimits(): RateLimitStore {
  /** Times at which buckets are full. `maxSize`, as `max` takes the memory of all at once. */
  const fullAt = new LRUCache<string, number>({ maxSize: maxBuckets, sizeCalculation: () => 1 });
  return {
    async add(grants, now) {
      const ahead = new Map<string, number>();
      for (const [id, amount] of grants) {
        const used = usedAt({ fullAt: fullAt.get(id) ?? now }, now);
        const left = Math.max(0, Math.min(maxAhead, used + amount));
        fullAt.set(id, now + left);
        ahead.set(id, left);
      }
      return ahead;
    },
  };
}
