/** Buckets of several processes, in the memory of one. */
import { LRUCache } from 'lru-cache';
import { maxAhead, type RateLimitStore } from './rate-limit.ts';

/** Forgotten ones are full. */
const maxBuckets = 100_000;

export function memoryRateLimits(): RateLimitStore {
  /** Times at which buckets are full. `maxSize`, as `max` takes the memory of all at once. */
  const fullAt = new LRUCache<string, number>({ maxSize: maxBuckets, sizeCalculation: () => 1 });
  return {
    async add(grants, now) {
      const ahead = new Map<string, number>();
      for (const [id, amount] of grants) {
        const kept = (fullAt.get(id) ?? now) - now;
        const left = Math.min(maxAhead, amount + (kept > 2 * maxAhead ? 0 : Math.max(0, kept)));
        fullAt.set(id, now + left);
        ahead.set(id, Math.max(0, left));
      }
      return ahead;
    },
  };
}
