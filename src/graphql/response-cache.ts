/**
 * The response cache: the bytes of responses to queries, for the same query of the same API key. A response is looked up when a
 * request has passed its key, its limits and the shape of its variables, in the place of the execution: what one executor has stored
 * stands for any other. What the key may not see is decided by the execution, so nothing but a response
 * without an error is cached, and only for the key that got it.
 */
import { hash } from 'node:crypto';
import type { FoundResponse, ResponseStore } from '../cache/response-store.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { Caller } from '../kernel/caller.ts';
import type { KnownOperation } from './documents/known-operation.ts';

/** An operation that is about to be executed. */
export interface CacheableOperation {
  readonly request: IncomingRequest;
  readonly caller: Caller;
  readonly operation: KnownOperation;
  /** As they were sent. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What a lookup found, and the place for the response if it found none. */
export interface CacheLookup {
  /** The response as JSON; null if the operation must be executed. */
  readonly body: Uint8Array | null;
  /** For `RequestContext.generation` of the execution; undefined if nothing can be stored. */
  readonly generation: string | undefined;
  /** Stores a response that has no errors: `{"data":…}`, without anything that a header asked for. */
  set(body: Uint8Array | string): void;
}

export interface ResponseCache {
  /** @returns null for an operation whose response is not cached */
  lookup(operation: CacheableOperation): CacheLookup | null | Promise<CacheLookup | null>;
}

export interface ResponseCacheOptions {
  readonly store: ResponseStore;
  readonly tenantOf: (caller: Caller) => string;
  /** No response is cached for longer, in seconds. */
  readonly maxAge: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed?: () => number;
}

/** Larger responses are not stored: they would take the place of many. */
const maxBodyBytes = 1_048_576;

/** What is looked up. */
interface LookupKey {
  readonly tenant: string;
  readonly key: string;
  /** When what is read from now on has expired. */
  readonly expiresAt: number;
}

export function createResponseCache({
  store,
  tenantOf,
  maxAge,
  elapsed = () => performance.now(),
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
      expiresAt: elapsed() + lifetimeMs,
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
        const lifetimeMs = expiresAt - elapsed();
        const size = typeof response === 'string' ? Buffer.byteLength(response) : response.length;
        if (size > maxBodyBytes || lifetimeMs <= 0) return;
        const isStored = store.set({ tenant, key, generation, body: response, lifetimeMs });
        if (isStored) request.addHeaders(cacheStatus('fwd=miss; stored'));
      },
    };
  }

  return { lookup };
}

/** RFC 9211. */
const cacheStatus = (status: string) => ({ 'cache-status': `Postern; ${status}` });

const rights = new WeakMap<Caller, string>();

/** Everything that is known of a caller: what it may see, and what a response says of its key. */
function rightsOf(caller: Caller): string {
  const remembered = rights.get(caller);
  if (remembered !== undefined) return remembered;
  const { scopes, accountIds, ...others } = caller;
  const text = JSON.stringify({ ...others, scopes: [...scopes], accountIds: accountIds && [...accountIds] });
  rights.set(caller, text);
  return text;
}

/** JSON with the keys of objects in one order: nothing depends on another. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
