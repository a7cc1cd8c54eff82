interface Common {
  /** Seconds. */
  readonly maxAge: number;
}

export interface MemorySettings extends Common {
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
