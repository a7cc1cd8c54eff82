/**
 * Where responses are cached. Each entry belongs to a generation: a name of the data that the callers of one tenant read, which
 * each invalidation replaces. A generation is read before an operation is executed, and its response is stored in that one: so
 * a response that may be older than a change is never found after the change, however long it took to make.
 */

export interface FoundResponse {
  /** The generation at this moment; null where nobody can say, and nothing can be stored. */
  readonly generation: string | null;
  /** The body of the entry, if it is of this generation; null without one. It may be shared, so nobody changes it. */
  readonly body: Uint8Array | null;
}

/** What is found where the store cannot be asked. */
export const unavailable: FoundResponse = { generation: null, body: null };

export interface CacheEntry {
  readonly tenant: string;
  readonly key: string;
  /** The one that was found before the operation was executed. */
  readonly generation: string;
  /** Bytes may stand in memory that is used again: the store copies them. */
  readonly body: Uint8Array | string;
  /** How long it may be found, in milliseconds from now. */
  readonly lifetimeMs: number;
}

/** None of its methods fails: without the store, operations are executed. */
export interface ResponseStore {
  /** @param tenant whose data the response shows: see `Backend.tenantOf` */
  get(tenant: string, key: string): FoundResponse | Promise<FoundResponse>;
  /** @returns whether the entry can be found from now on; for a store in another process, whether it is on its way there */
  set(entry: CacheEntry): boolean;
  /** Ends the generation of a tenant. Resolves when this process and all others know, or cannot be told for now. */
  invalidate(tenant: string): Promise<void>;
  close(): Promise<void>;
}
