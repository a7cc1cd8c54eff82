/**
 * A pool of connections per origin. Callers choose origins, so idle pools are bounded, least recently used first out;
 * origins in use are bounded by the requests in flight.
 *
 * Not undici's Agent: it keeps a pool (21.6 KB) for ever once a request was aborted, and `maxOrigins` only refuses new
 * ones.
 */
import { LRUCache } from 'lru-cache';
import type { Pool } from 'undici';

export type OriginPools = ReturnType<typeof createOriginPools>;

/** Origins without a request in flight that keep their connections. */
export const maxIdleOrigins = 512;

interface Used {
  readonly pool: Pool;
  inFlight: number;
}

/** @param open makes the pool of an origin */
export function createOriginPools(open: (origin: string) => Pool) {
  const used = new Map<string, Used>();
  const idle = new LRUCache<string, Pool>({
    max: maxIdleOrigins,
    // Taking a pool out removes it as well, and keeps it open.
    dispose: (pool, _origin, reason) => {
      if (reason === 'evict') discard(pool);
    },
  });
  let isOpen = true;

  function create(origin: string): Pool {
    const pool = open(origin);
    const drop = () => {
      if (idle.peek(origin) !== pool || pool.stats.connected > 0) return;
      idle.delete(origin);
      discard(pool);
    };
    return pool.on('disconnect', drop).on('connectionError', drop);
  }

  function take(origin: string): Used {
    if (!isOpen) throw new Error('The network is closed');
    const known = used.get(origin);
    if (known !== undefined) return known;
    const taken = { pool: idle.get(origin) ?? create(origin), inFlight: 0 };
    idle.delete(origin);
    used.set(origin, taken);
    return taken;
  }

  return {
    /**
     * Takes the pool of an origin for one request.
     * @returns with `release`, to be called when the request has ended. @throws Error once destroyed
     */
    take(origin: string) {
      const taken = take(origin);
      const { pool } = taken;
      taken.inFlight += 1;
      const release = () => {
        taken.inFlight -= 1;
        if (taken.inFlight > 0 || !isOpen) return;
        used.delete(origin);
        if (pool.stats.connected > 0) idle.set(origin, pool);
        else discard(pool);
      };
      return { pool, release };
    },
    get origins() {
      return used.size + idle.size;
    },
    /** Closes all connections; requests in flight fail. */
    async destroy() {
      isOpen = false;
      await Promise.all([...used.values()].map(({ pool }) => pool.destroy()));
      await Promise.all([...idle.values()].map((pool) => pool.destroy()));
      idle.clear();
    },
  };
}

const discard = (pool: Pool): void => pool.destroy(null, () => undefined);
