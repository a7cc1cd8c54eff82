/** What one request carries, and the ports that it may be answered from. */
import type { AccountsPort } from './accounts/port.ts';
import type { Caller } from './accounts/shapes.ts';
import type { JobsPort } from './jobs/port.ts';
import type { PostsPort } from './posts/port.ts';
import type { WebhooksPort } from './webhooks/port.ts';

/** What every call of a port carries: who asks, under which request id, and when it is no longer wanted. */
export interface Call {
  readonly caller: Caller;
  readonly requestId: string;
  /** Aborts when the client goes away or the gateway stops waiting. */
  readonly signal: AbortSignal;
  /** The client's `Idempotency-Key`, where it is not ours to honour but a service's behind us. */
  readonly idempotencyKey?: string | undefined;
}

/** The capabilities of the gateway. A backend answers all of them; the faces know nothing else of it. */
export interface Ports {
  readonly accounts: AccountsPort;
  readonly jobs: JobsPort;
  readonly posts: PostsPort;
  readonly webhooks: WebhooksPort;
}
