import { LRUCache } from 'lru-cache';
import { rightsOf } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { refusesKey } from './service.ts';

/** The longest delay of a revocation. */
const verdictLifetimeMs = 5_000;

export const maxChecked = 10_000;

/**
 * @param ask reads something that takes a key and no account
 * @returns rejects with the service's refusal of the key, or with a failure that says nothing about it
 */
export function createKeyCheck(
  ask: (context: RequestContext) => Promise<unknown>,
  clock: Clock = () => performance.now(),
): (context: RequestContext) => Promise<void> {
  /** By rights, which hash the key. */
  const refusals = new LRUCache<string, { readonly refusal: ServiceError | null }>({
    max: maxChecked,
    ttl: verdictLifetimeMs,
    ttlResolution: 0,
    perf: { now: clock },
  });

  async function refusalOf(context: RequestContext): Promise<ServiceError | null> {
    try {
      await ask(context);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (refusesKey(error)) return error;
      if (error.family === 'system') throw error;
      // A missing scope, or another refusal of a service that knows the key.
    }
    return null;
  }

  return async (context) => {
    const asker = rightsOf(context.caller);
    let known = refusals.get(asker);
    if (known === undefined) {
      known = { refusal: await refusalOf(context) };
      refusals.set(asker, known);
    }
    if (known.refusal !== null) throw known.refusal;
  };
}
