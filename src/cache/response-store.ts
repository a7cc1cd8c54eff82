/**
 * Cached responses by generation: a name of a tenant's data, replaced by each invalidation, read before execution. So a
 * response older than a change is never found after it, however long it took to make.
 */

export interface FoundResponse {
  /** Null while unknown: nothing can be stored. */
  readonly generation: string | null;
  /** Body kept in this generation; null without one. Shared: not to be changed. */
  readonly body: Uint8Array | null;
}

export const unavailable: FoundResponse = { generation: null, body: null };

export interface CacheEntry {
  readonly tenant: string;
  readonly key: string;
  readonly generation: string;
  /** Copied by the store: its memory may be used again. */
  readonly body: Uint8Array | string;
  /** Milliseconds from now. */
  readonly lifetimeMs: number;
}

/** No method fails: without the store, operations are executed. */
export interface ResponseStore {
  /** @param tenant whose data the response shows: see `Backend.tenantOf` */
  get(tenant: string, key: string): FoundResponse | Promise<FoundResponse>;
  /** @returns whether the entry can be found from now on, or is on its way to another process */
  set(entry: CacheEntry): boolean;
  /** Ends a generation. Resolves when all processes know, or cannot be told for now. */
  invalidate(tenant: string): Promise<void>;
  close(): Promise<void>;
}

interface Common {
  /** In seconds. */
  readonly maxAge: number;
}

interface MemorySettings extends Common {
  readonly kind: 'memory';
  readonly maxBytes: number;
}

export interface RedisSettings extends Common {
  readonly kind: 'redis';
  readonly url: string;
  /** The same for processes with the same data: installations may share the server. */
  readonly installation: string;
}

export type ResponseCacheSettings = MemorySettings | RedisSettings;
