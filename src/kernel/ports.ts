/** The ports of all capabilities. What a request carries to them is in request-context.ts, which each port imports. */
import type { AccountsPort } from '../capabilities/accounts/port.ts';
import type { DeliveriesPort } from '../capabilities/deliveries/port.ts';
import type { JobsPort } from '../capabilities/jobs/port.ts';
import type { PostsPort } from '../capabilities/posts/port.ts';
import type { WebhooksPort } from '../capabilities/webhooks/port.ts';

/** What a backend implements, and all that the faces know of it. */
export interface Ports {
  /** Whether a service behind the ports judges what the contract leaves open, so that Postern does not. */
  readonly serviceJudges: boolean;
  readonly accounts: AccountsPort;
  readonly jobs: JobsPort;
  readonly posts: PostsPort;
  readonly webhooks: WebhooksPort;
  readonly deliveries: DeliveriesPort;
}

/** The names of the ports. */
export type PortName = { [Name in keyof Ports]: Ports[Name] extends object ? Name : never }[keyof Ports];

/** The methods of each port that change nothing. Any other is a command: the next method is one until it stands here. */
export const readMethods = {
  accounts: ['checkKey', 'list', 'counts', 'find', 'watch'],
  jobs: ['list', 'lists', 'counts', 'find', 'fields', 'watch'],
  posts: ['list'],
  webhooks: ['list', 'lists', 'counts', 'find', 'whole', 'health'],
  deliveries: ['list', 'lists', 'counts', 'find', 'data', 'attempts', 'lastAttempts', 'statistics', 'backlog', 'watch'],
} as const satisfies { readonly [Name in PortName]: readonly (keyof Ports[Name])[] };
