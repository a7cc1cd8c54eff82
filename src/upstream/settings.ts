import type { ProxySettings } from '../net/proxies.ts';
import type { TermMap } from './translation.ts';

export interface UpstreamSettings {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Precedes `/v1` in each path: empty, or `/api`. */
  readonly basePath: string;
  /** For all calls; undefined to forward each caller's own. */
  readonly apiKey: string | undefined;
  /** The service's terms where they differ from the contract's. */
  readonly names: TermMap;
  /** Whether the service honours `Idempotency-Key`, as its operator says. */
  readonly actsOnce: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in bodies: taken out of what the service says, as the key and the headers are. */
  readonly secrets?: readonly string[];
  /** Per call, retries included. */
  readonly timeoutMs: number;
  /** Per operation, all calls together. */
  readonly budgetMs: number;
  /** Per operation. */
  readonly maxCalls: number;
  readonly connections: number;
  /** On the way to it. */
  readonly proxies?: ProxySettings | undefined;
  /** Most bytes of a response. */
  readonly maxBytes: number;
}
