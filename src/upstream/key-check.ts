import { LRUCache } from 'lru-cache';
import { ServiceError } from '../kernel/errors.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { refusesKey } from './key-or-account.ts';

/** How long what the service said of a key counts, in milliseconds: the longest delay of a revocation. */
const rememberedMs = 5_000;

/** Keys that are remembered at once. */
export const maxChecked = 10_000;

/**
 * Asks the service whether it accepts a forwarded key, and remembers for a moment what it said.
 * @param ask reads something that takes a key and no account
 * @param elapsed milliseconds of a clock that only goes forward
 * @returns rejects with the service's refusal of the key, or with a failure that says nothing about it
 */
export function createKeyCheck(
  ask: (context: RequestContext) => Promise<unknown>,
  elapsed: () => number = () => performance.now(),
): (context: RequestContext) => Promise<void> {
  /** By the id of the caller, which is a hash of the key. */
  const refusals = new LRUCache<string, { readonly refusal: ServiceError | null }>({
    max: maxChecked,
    ttl: rememberedMs,
    ttlResolution: 0,
    perf: { now: elapsed },
  });

  async function refusalOf(context: RequestContext): Promise<ServiceError | null> {
    try {
      await ask(context);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (refusesKey(error)) return error;
      if (error.family === 'system') throw error;
      // A scope that the key lacks, or another refusal of a service that knows the key.
    }
    return null;
  }

  return async (context) => {
    const { keyId } = context.caller;
    let known = refusals.get(keyId);
    if (known === undefined) {
      known = { refusal: await refusalOf(context) };
      refusals.set(keyId, known);
    }
    if (known.refusal !== null) throw known.refusal;
  };
}
