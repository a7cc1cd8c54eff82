import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Authenticate, Caller } from '../kernel/caller.ts';

/** How long a valid key is trusted without another look-up, in milliseconds: the longest delay of a revocation. */
const rememberedMs = 1_000;

/** Keys that are remembered at once: those of a busy second. */
const maxRemembered = 10_000;

export interface RememberedKeys {
  readonly authenticate: Authenticate;
  /** Forgets all keys, as one was revoked. */
  forget(): void;
}

interface Remembered {
  readonly until: number;
  readonly caller: Promise<Caller>;
}

/**
 * Remembers the callers of valid keys for a moment, so that a request costs no read of the database. Requests that come
 * together with one key wait for one look-up. A key that is refused is not remembered.
 * @param clocks.elapsed milliseconds of a clock that only goes forward
 */
export function rememberKeys(
  authenticate: Authenticate,
  { now, elapsed = () => performance.now() }: { readonly now: () => Date; readonly elapsed?: () => number },
): RememberedKeys {
  let keys = new LRUCache<string, Remembered>({ max: maxRemembered });

  return {
    async authenticate(apiKey) {
      if (!apiKey) return authenticate(apiKey);
      const remembering = keys;
      const time = elapsed();
      // The keys themselves stay out of the memory of a process that may be dumped.
      const id = hash('sha256', apiKey);
      const known = remembering.get(id);
      if (known !== undefined && time < known.until) {
        const caller = await known.caller;
        if (caller.expiresAt === null || caller.expiresAt > now()) return caller;
      }
      const caller = authenticate(apiKey);
      remembering.set(id, { until: time + rememberedMs, caller });
      try {
        return await caller;
      } catch (error) {
        remembering.delete(id);
        throw error;
      }
    },
    forget() {
      keys = new LRUCache({ max: maxRemembered });
    },
  };
}
