/** How responses are kept. */
interface Common {
  /** The longest that a response is kept, in seconds. */
  readonly maxAge: number;
}

export interface MemorySettings extends Common {
  readonly kind: 'memory';
  /** Of all responses that one process keeps. */
  readonly maxBytes: number;
}

export interface RedisSettings extends Common {
  readonly kind: 'redis';
  readonly url: string;
}

export type ResponseCacheSettings = MemorySettings | RedisSettings;
