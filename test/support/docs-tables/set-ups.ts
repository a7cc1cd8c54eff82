/** What each way to set a gateway up serves. `test/upstream/set-ups.slow.test.ts` tries each cell. */
import { codes, row, table } from './markdown.ts';

export const setUps = {
  embedded: 'Embedded',
  ownWebhooks: 'Own webhooks',
  ownKeys: 'Proxy with own keys',
  forwardedKeys: 'Proxy with forwarded keys',
} as const;

export type SetUp = keyof typeof setUps;

/** By the gateway itself, by the service behind it, or by none of them. */
type From = 'gateway' | 'service' | 'none';

interface Feature {
  readonly what: string;
  /** Root fields of the schema, by the names of their types; pages by their paths. */
  readonly fields: readonly string[];
  /** Other operations that need the feature, by what the table calls them. */
  readonly operations?: Readonly<Record<string, string>>;
  readonly from: Readonly<Record<SetUp, From>>;
}

const everywhere = {
  embedded: 'gateway',
  ownWebhooks: 'gateway',
  ownKeys: 'gateway',
  forwardedKeys: 'gateway',
} as const;
const embeddedOnly = { ...everywhere, ownWebhooks: 'none', ownKeys: 'none', forwardedKeys: 'none' } as const;
const notInProxyMode = { ...embeddedOnly, ownWebhooks: 'gateway' } as const;
const jobsOfService = { ...everywhere, ownWebhooks: 'service', ownKeys: 'service', forwardedKeys: 'service' } as const;
const webhooksOfService = { ...jobsOfService, ownWebhooks: 'gateway' } as const;

export const features: readonly Feature[] = [
  { what: 'Posts', fields: ['Query.posts'], from: jobsOfService },
  {
    what: 'Jobs',
    fields: ['Mutation.editJob', 'Mutation.publishJob', 'Mutation.solveJobCheckpoint'],
    from: jobsOfService,
  },
  {
    what: 'Drafts and lists of jobs',
    fields: ['Mutation.createJobDraft', 'Query.jobPosting', 'Query.jobPostings', 'Subscription.jobPostingUpdated'],
    from: embeddedOnly,
  },
  {
    what: 'Webhooks',
    fields: [
      'Query.webhooks',
      'Query.webhook',
      'Query.node',
      'Query.nodes',
      'Mutation.createWebhook',
      'Mutation.deleteWebhook',
    ],
    from: webhooksOfService,
  },
  {
    what: 'Changes and secrets of webhooks, TRIGGER webhooks',
    fields: [
      'Mutation.createTriggerWebhook',
      'Mutation.updateWebhook',
      'Mutation.setWebhookEnabled',
      'Mutation.setWebhookNotices',
      'Mutation.rotateWebhookSecret',
      'Mutation.revealWebhookSecret',
    ],
    from: notInProxyMode,
  },
  {
    what: 'Orders, counts, health and figures of webhooks',
    fields: [],
    operations: {
      'webhooks(orderBy:)': '{ webhooks(orderBy: NAME_ASC) { nodes { id } } }',
      'webhooks.totalCount': '{ webhooks { totalCount } }',
      'webhooks(health:)': '{ webhooks(health: HEALTHY) { nodes { id } } }',
      'webhook.health': '{ webhooks { nodes { health { state } } } }',
      'webhook.statistics': '{ webhooks { nodes { statistics(period: DAY) { startsAt } backlog { pendingCount } } } }',
      webhookSummary: '{ viewer { workspace { webhookSummary { count } } } }',
    },
    from: notInProxyMode,
  },
  {
    what: 'Accounts',
    fields: ['Query.account', 'Query.accounts', 'Subscription.accountUpdated'],
    from: notInProxyMode,
  },
  {
    what: 'Deliveries',
    fields: [
      'Query.delivery',
      'Query.deliveries',
      'Mutation.redeliver',
      'Mutation.redeliverAll',
      'Subscription.deliveryUpdated',
    ],
    from: notInProxyMode,
  },
  {
    what: 'Events',
    fields: [
      'Query.events',
      'Mutation.emitEvent',
      'Mutation.sendTestEvent',
      'Mutation.fireTriggerWebhook',
      'Subscription.eventReceived',
    ],
    from: notInProxyMode,
  },
  { what: 'Samples of events', fields: ['Query.eventSamples'], from: everywhere },
  {
    what: 'The id of the key',
    fields: [],
    operations: { 'viewer.keyId': '{ viewer { keyId } }' },
    from: { ...everywhere, forwardedKeys: 'service' },
  },
  {
    what: 'The rest of the key, access tokens',
    fields: ['Query.viewer', 'Mutation.createAccessToken'],
    from: { ...everywhere, forwardedKeys: 'none' },
  },
  { what: 'The webhooks page', fields: ['/webhooks'], from: notInProxyMode },
];

const cells: Readonly<Record<From, string>> = { gateway: 'yes', service: 'the service', none: 'no' };

export const setUpTables: Readonly<Record<string, string>> = {
  'what each set-up serves': table(
    ['', ...Object.values(setUps)],
    features.map(({ what, fields, operations = {}, from }) => {
      const named = [...fields.map((field) => field.replace(/^\w+\./, '')), ...Object.keys(operations)];
      return row(`${what}: ${codes(named)}`, ...(Object.keys(setUps) as SetUp[]).map((setUp) => cells[from[setUp]]));
    }),
  ),
};
