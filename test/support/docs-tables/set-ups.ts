/** What each way to set a gateway up serves. `test/upstream/set-ups.slow.test.ts` tries each cell. */
import { type SetUp, setUps } from '../../../src/kernel/set-up.ts';
import { codes, row, table } from './markdown.ts';

const titles = {
  embedded: 'Embedded',
  'own-webhooks': 'Own webhooks',
  'own-keys': 'Proxy with own keys',
  'forwarded-keys': 'Proxy with forwarded keys',
} as const satisfies Record<SetUp, string>;

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
  'own-webhooks': 'gateway',
  'own-keys': 'gateway',
  'forwarded-keys': 'gateway',
} as const;
const embeddedOnly = { ...everywhere, 'own-webhooks': 'none', 'own-keys': 'none', 'forwarded-keys': 'none' } as const;
const notInProxyMode = { ...embeddedOnly, 'own-webhooks': 'gateway' } as const;
const jobsOfService = {
  ...everywhere,
  'own-webhooks': 'service',
  'own-keys': 'service',
  'forwarded-keys': 'service',
} as const;
const webhooksOfService = { ...jobsOfService, 'own-webhooks': 'gateway' } as const;

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
      'webhooks(healthStates:)': '{ webhooks(healthStates: HEALTHY) { nodes { id } } }',
      'webhook.health': '{ webhooks { nodes { health { state } } } }',
      'webhook.statistics':
        '{ webhooks { nodes { statistics(period: DAY) { total { count } } backlog { pendingCount } } } }',
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
      'Mutation.redeliverDelivery',
      'Mutation.redeliverWebhookDeliveries',
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
    fields: ['Query.viewer'],
    from: { ...everywhere, 'forwarded-keys': 'service' },
  },
  {
    what: 'The rest of the key, access tokens',
    fields: ['Mutation.createAccessToken'],
    operations: { 'viewer.name': '{ viewer { name scopes accountIds expiresAt workspace { name } } }' },
    from: { ...everywhere, 'forwarded-keys': 'none' },
  },
  { what: 'Pages for people', fields: ['/webhooks', '/jobs-and-posts'], from: notInProxyMode },
];

const cells: Readonly<Record<From, string>> = { gateway: 'yes', service: 'the service', none: 'no' };

export const setUpTables: Readonly<Record<string, string>> = {
  'what each set-up serves': table(
    ['', ...Object.values(titles)],
    features.map(({ what, fields, operations = {}, from }) => {
      const named = [...fields.map((field) => field.replace(/^\w+\./, '')), ...Object.keys(operations)];
      return row(`${what}: ${codes(named)}`, ...setUps.map((setUp) => cells[from[setUp]]));
    }),
  ),
};
