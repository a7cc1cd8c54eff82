import type { TermMap } from './translation.ts';

/** Where the upstream is, and how to call it. */
export interface UpstreamSettings {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes `/v1` in each path: nothing, or `/api`. */
  readonly basePath: string;
  /** The key that every call is made with; undefined to send each caller's own. */
  readonly apiKey: string | undefined;
  /** The service's terms where they differ from the contract's. */
  readonly names: TermMap;
  /** Whether the service carries out one request of those that have the same `Idempotency-Key`, as its operator says. */
  readonly actsOnce: boolean;
  /** Sent with each call, in addition to the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long one call may last, its retries included. */
  readonly timeoutMs: number;
  /** How long all calls of one operation may last together. */
  readonly budgetMs: number;
  /** How many calls one operation may make. */
  readonly maxCalls: number;
  readonly connections: number;
  /** The largest response, in bytes. */
  readonly maxBytes: number;
}
