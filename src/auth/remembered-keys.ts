import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Authenticate, Caller } from '../kernel/caller.ts';
import type { Clock } from '../kernel/lib/time-units.ts';

/** Trust in a valid key without a look-up, in milliseconds: the longest delay of a revocation. */
const rememberedMs = 1_000;

/** Those of a busy second. */
const maxRemembered = 10_000;

interface Remembered {
  readonly until: number;
  caller: Caller | Promise<Caller>;
}

/** Concurrent requests with one key share a look-up. */
export function rememberKeys(
  authenticate: Authenticate,
  { now, clock = () => performance.now() }: { readonly now: () => Date; readonly clock?: Clock },
) {
  let keys = new LRUCache<string, Remembered>({ max: maxRemembered });

  async function lookUp(apiKey: string, id: string, time: number): Promise<Caller> {
    const remembering = keys;
    const remembered: Remembered = { until: time + rememberedMs, caller: authenticate(apiKey) };
    remembering.set(id, remembered);
    try {
      remembered.caller = await remembered.caller;
      return remembered.caller;
    } catch (error) {
      // A later look-up may have succeeded.
      if (remembering.peek(id) === remembered) remembering.delete(id);
      throw error;
    }
  }

  const isExpired = ({ expiresAt }: Caller): boolean => expiresAt !== null && expiresAt <= now();

  return {
    authenticate(apiKey: string | undefined) {
      if (!apiKey) return authenticate(apiKey);
      const time = clock();
      // Dumps of the process's memory show no keys.
      const id = hash('sha256', apiKey);
      const known = keys.get(id);
      if (known === undefined || time >= known.until) return lookUp(apiKey, id, time);
      const { caller } = known;
      if (caller instanceof Promise)
        return caller.then((found) => (isExpired(found) ? lookUp(apiKey, id, time) : found));
      return isExpired(caller) ? lookUp(apiKey, id, time) : caller;
    },
    forget() {
      keys = new LRUCache({ max: maxRemembered });
    },
  };
}
