import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Authenticate, Caller } from '../kernel/caller.ts';

/** Trust in a valid key without a look-up, in milliseconds: the longest delay of a revocation. */
const rememberedMs = 1_000;

/** Those of a busy second. */
const maxRemembered = 10_000;

export interface RememberedKeys {
  readonly authenticate: Authenticate;
  forget(): void;
}

interface Remembered {
  readonly until: number;
  readonly caller: Promise<Caller>;
}

/** Concurrent requests with one key share a look-up. @param clocks.elapsed monotonic milliseconds */
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
      // Dumps of the process's memory show no keys.
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
