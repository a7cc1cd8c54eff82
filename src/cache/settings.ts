interface Common {
  /** The longest that a response is cached, in seconds. */
  readonly maxAge: number;
}

/** A cache in the memory of each process. */
export interface MemorySettings extends Common {
  readonly kind: 'memory';
  /** Of all responses that one process caches. */
  readonly maxBytes: number;
}

/** A cache in a Redis server. */
export interface RedisSettings extends Common {
  readonly kind: 'redis';
  /** `redis://` or `rediss://` */
  readonly url: string;
  /** What only processes with the same data have in common: several installations may share the server. */
  readonly installation: string;
}

/** Where responses are cached, and for how long at most. */
export type ResponseCacheSettings = MemorySettings | RedisSettings;
