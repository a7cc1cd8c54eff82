/**
 * The rules that the published schema keeps: graphql-eslint's `schema-recommended` and `schema-relay`, and where they are
 * not ours, why. TypeScript is Biome's.
 */
import graphqlPlugin, { parser } from '@graphql-eslint/eslint-plugin';

const recommended = graphqlPlugin.configs['flat/schema-recommended'].rules;

/** The rule as the set has it, but for one of its selectors. */
const [severity, { EnumValueDefinition: enumValueStyle, ...naming }] = recommended['@graphql-eslint/naming-convention'];

/**
 * Types without an `id`, each because it cannot be asked for again and means nothing without what it stands in. With an
 * id of its own a cache would keep it apart from the object that it is a part of, and show it when that has changed.
 */
const valueObjects = {
  suffixes: [
    // Pages: where they stand depends on the arguments that they were asked for with.
    'Connection',
    'Edge',
    // Failures: each is of one request, which `instance` names.
    'Error',
    // Parts of a post. pnet's ids of them are shown as `providerId`; no call takes one.
    'Attachment',
  ],
  types: [
    'PageInfo',
    'RequestIssue',
    // Parts of a posting. An edit replaces each as a whole.
    'AutoArchiveApplicants',
    'ExternalApplyMethod',
    'JobCheckpoint',
    'JobCompany',
    'JobPay',
    'JobRecruiter',
    'JobTitle',
    'MultipleChoicesScreeningQuestion',
    'NumericScreeningQuestion',
    'PnetApplyMethod',
    // Parts of a post.
    'MediaSize',
    'PhotonetCaption',
    'PhotonetLocation',
    'PhotonetMedia',
    'PnetGroup',
    'PnetMention',
    'PnetPoll',
    'PnetPollOption',
    'PnetPostAnalytics',
    'PnetPostPermissions',
    'PnetRepostContent',
    'PnetWriter',
    // Parts of a webhook. Of an account it shows what the contract shows; `account` leads on to what has an id.
    'WebhookAccount',
    'WebhookDataMapping',
    'WebhookHeader',
    'WebhookTrigger',
    'WebhookHealth',
    // Parts of a delivery: which attempt it was is its number.
    'DeliveryAttempt',
    // Documentation: a sample is of nothing that exists.
    'EventSample',
    // What came of a mutation: the object with the id is a field of it, or `deletedId` names it.
    'PnetJobPostingEdited',
    'PnetJobPostingPublishCheckpoint',
    'PnetJobPostingPublished',
    'WebhookCreated',
    'WebhookDeleted',
    'WebhookUpdated',
    'WebhookSecretRotated',
    'WebhookSecretShown',
    'DeliveriesRedelivered',
    'DeliveryScheduled',
    'EventEmitted',
    // Of the key that asks there is one, which nobody can ask for by an id.
    'Viewer',
    'Workspace',
  ],
};

export default [
  {
    files: ['schema.graphql'],
    languageOptions: { parser, parserOptions: { graphQLConfig: { schema: './schema.graphql' } } },
    plugins: { '@graphql-eslint': graphqlPlugin },
    rules: {
      ...recommended,
      ...graphqlPlugin.configs['flat/schema-relay'].rules,

      '@graphql-eslint/strict-id-in-types': ['error', { exceptions: valueObjects }],

      // The icons of triggers are names of components, which clients look up as they are.
      '@graphql-eslint/naming-convention': [
        severity,
        { ...naming, 'EnumValueDefinition[parent.name.value!=TriggerIcon]': enumValueStyle },
      ],

      // It finds `Account.accountId`, `Webhook.webhookId` and `Workspace.workspaceId`. Beside the global `id`, a raw id of the
      // contract has one name wherever it stands, in fields as in arguments: what one answers can be pasted into the other.
      // The rule takes no exceptions; test/graphql.test.ts holds every other field to it.
      '@graphql-eslint/no-typename-prefix': 'off',

      // The contract's lists are read forwards only, so there is no `last` and no `before` to promise. Relay's
      // specification asks for one of the two directions.
      '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],

      // Relay asks that `edges` wrap edges. That nothing else may be a list would make connections of the choices of a
      // question, and of `nodes`, which spares those who need no cursors a level. Nor does it ask that every node be a
      // `Node`: attempts of a delivery are paged, and cannot be asked for one by one. The rule takes no exceptions.
      '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false, shouldImplementNode: false }],
    },
  },
];
