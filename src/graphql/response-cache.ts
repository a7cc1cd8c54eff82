/**
 * Cached responses to queries, by query and rights, looked up behind the limits in place of the execution. Only the
 * execution decides what a key may see: responses without errors are cached, each for equal rights.
 */

import { hash } from 'node:crypto';
import type { FoundResponse, ResponseStore } from '../cache/response-store.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { type Caller, rightsOf } from '../kernel/caller.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { KnownOperation } from './documents/known-documents.ts';

interface CacheableOperation {
  readonly request: Pick<IncomingRequest, 'facts' | 'addHeaders'>;
  readonly caller: Caller;
  readonly operation: KnownOperation;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface CacheLookup {
  /** JSON; null if the operation must be executed. */
  readonly body: Uint8Array | null;
  /** For `RequestContext.generation` of the execution; undefined if nothing can be stored. */
  readonly generation: string | undefined;
  /** Stores `{"data":…}` without errors and extensions. */
  set(body: Uint8Array | string): void;
}

export interface ResponseCache {
  lookup(operation: CacheableOperation): CacheLookup | null | Promise<CacheLookup | null>;
}

interface ResponseCacheOptions {
  readonly store: ResponseStore;
  readonly tenantOf: (caller: Caller) => string;
  /** In seconds. */
  readonly maxAge: number;
  readonly clock?: Clock;
}

/** Larger responses would take the place of many. */
const maxCachedBytes = 1_048_576;

interface LookupKey {
  readonly tenant: string;
  readonly key: string;
  readonly expiresAt: number;
}

export function createResponseCache({
  store,
  tenantOf,
  maxAge,
  clock = () => performance.now(),
}: ResponseCacheOptions): ResponseCache {
  const keyOf = ({ operation: { cacheId, variableNames }, caller, variables }: CacheableOperation): string => {
    const given = variableNames.flatMap((name) =>
      Object.hasOwn(variables, name) ? [[name, sorted(variables[name])]] : [],
    );
    return hash('sha256', JSON.stringify([cacheId, rightsOf(caller), given]));
  };

  function lookup(operation: CacheableOperation): ReturnType<ResponseCache['lookup']> {
    const lifetimeMs = Math.min(operation.operation.maxAge, maxAge) * 1_000;
    if (lifetimeMs === 0) return null;
    const lookupKey = {
      tenant: tenantOf(operation.caller),
      key: keyOf(operation),
      expiresAt: clock() + lifetimeMs,
    };
    const found = store.get(lookupKey.tenant, lookupKey.key);
    return found instanceof Promise
      ? found.then((response) => toLookup(operation, lookupKey, response))
      : toLookup(operation, lookupKey, found);
  }

  function toLookup(
    { request }: CacheableOperation,
    { tenant, key, expiresAt }: LookupKey,
    { generation, body }: FoundResponse,
  ): CacheLookup {
    const { facts } = request;
    if (generation === null) {
      facts.cache = 'unavailable';
      request.addHeaders(cacheStatus('fwd=bypass'));
      return { body: null, generation: undefined, set() {} };
    }
    facts.cache = body === null ? 'miss' : 'hit';
    request.addHeaders(cacheStatus(body === null ? 'fwd=miss' : 'hit'));
    return {
      body,
      generation,
      set(response) {
        const lifetimeMs = expiresAt - clock();
        const size = typeof response === 'string' ? Buffer.byteLength(response) : response.length;
        if (size > maxCachedBytes || lifetimeMs <= 0) return;
        const isStored = store.set({ tenant, key, generation, body: response, lifetimeMs });
        if (isStored) request.addHeaders(cacheStatus('fwd=miss; stored'));
      },
    };
  }

  return { lookup };
}

/** RFC 9211. */
const cacheStatus = (status: string) => ({ 'cache-status': `Postern; ${status}` });

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
