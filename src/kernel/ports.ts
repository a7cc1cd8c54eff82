import type { AccountsPort } from '../capabilities/accounts/port.ts';
import type { DeliveriesPort } from '../capabilities/deliveries/port.ts';
import type { JobsPort } from '../capabilities/jobs/port.ts';
import type { PostsPort } from '../capabilities/posts/port.ts';
import type { WebhooksPort } from '../capabilities/webhooks/port.ts';

export interface Ports {
  /** Whether a service judges the rules that the contract leaves open. */
  readonly serviceJudges: boolean;
  readonly accounts: AccountsPort;
  readonly jobs: JobsPort;
  readonly posts: PostsPort;
  readonly webhooks: WebhooksPort;
  readonly deliveries: DeliveriesPort;
}

export type PortName = { [Name in keyof Ports]: Ports[Name] extends object ? Name : never }[keyof Ports];

/** Methods without effect. Any other is a command: a new method is one until it stands here. */
export const readMethods = {
  accounts: ['checkKey', 'list', 'counts', 'find', 'watch'],
  jobs: ['list', 'lists', 'counts', 'find', 'fields', 'watch'],
  posts: ['list'],
  webhooks: ['list', 'lists', 'counts', 'find', 'whole', 'health'],
  deliveries: [
    'list',
    'lists',
    'counts',
    'find',
    'data',
    'attempts',
    'lastAttempts',
    'statistics',
    'backlog',
    'summary',
    'watch',
  ],
} as const satisfies { readonly [Name in PortName]: readonly (keyof Ports[Name])[] };
