/** The ports that a request may be answered from. What it carries to them is in call.ts, which they import in turn. */
import type { AccountsPort } from './accounts/port.ts';
import type { DeliveriesPort } from './deliveries/port.ts';
import type { JobsPort } from './jobs/port.ts';
import type { PostsPort } from './posts/port.ts';
import type { WebhooksPort } from './webhooks/port.ts';

/** The capabilities of the gateway. A backend answers all of them; the faces know nothing else of it. */
export interface Ports {
  readonly accounts: AccountsPort;
  readonly jobs: JobsPort;
  readonly posts: PostsPort;
  readonly webhooks: WebhooksPort;
  readonly deliveries: DeliveriesPort;
}
