/** One GraphQL operation for each root field of the schema, to test what must hold for all of them. */
import type { GraphQLObjectType } from 'graphql';
import { globalId } from '../../src/graphql/kit/global-ids.ts';
import { requiredScopesOf } from '../../src/graphql/kit/required-scopes.ts';
import type { Scope } from '../../src/kernel/caller.ts';
import type { SeededWorkspace } from './backends.ts';
import { schema } from './schema.ts';

/** Ids of one workspace that the operations refer to. */
export interface Named {
  readonly accountId: string;
  readonly draftId: string;
  readonly webhookId: string;
  /** A webhook that is fired by hand. */
  readonly triggerId: string;
  readonly deliveryId: string;
}

export interface FieldOperation {
  /** `Query.posts`, for example. */
  readonly field: string;
  /** The scope that the API key needs; null if it needs none. */
  readonly scope: Scope | null;
  readonly document: (named: Named) => string;
}

const text = JSON.stringify;
const failure = '__typename ... on ServiceError { code status message }';
const posting = 'id jobId accountId state jobTitle { text }';
const webhook = 'id webhookId name requestUrl accounts { accountId name } headers { key value } events';
const account = 'id accountId name type status';

/** The scope of each field, and its selection with arguments. A test fails for a root field that is missing here. */
const operations: Readonly<Record<string, readonly [Scope | null, (named: Named) => string]>> = {
  'Query.viewer': [null, () => 'viewer { keyId name accountIds workspace { workspaceId name } }'],
  'Query.account': ['accounts:read', ({ accountId }) => `account(accountId: ${text(accountId)}) { ${account} }`],
  'Query.accounts': ['accounts:read', () => `accounts { nodes { ${account} } edges { cursor } }`],
  'Query.delivery': [
    'webhooks:read',
    ({ deliveryId }) =>
      `delivery(deliveryId: ${text(deliveryId)}) { id deliveryId accountId data webhook { ${webhook} } }`,
  ],
  'Query.deliveries': [
    'webhooks:read',
    ({ webhookId }) => `all: deliveries { nodes { id deliveryId accountId data } }
      deliveries(webhookId: ${text(webhookId)}) { nodes { id deliveryId accountId data webhook { ${webhook} } } }`,
  ],
  'Query.events': [
    'webhooks:read',
    ({ accountId }) => `all: events { nodes { id eventId accountId data } }
      events(accountIds: [${text(accountId)}]) { nodes { id eventId accountId data account { ${account} } } }`,
  ],
  'Query.eventSamples': [null, () => 'eventSamples(source: USERS) { event }'],
  'Query.jobPosting': ['jobs:read', ({ draftId }) => `jobPosting(jobId: ${text(draftId)}) { ${posting} }`],
  'Query.jobPostings': [
    'jobs:read',
    ({ accountId }) => `all: jobPostings { nodes { ${posting} } }
      jobPostings(accountId: ${text(accountId)}) { nodes { ${posting} } }`,
  ],
  'Query.node': [
    'webhooks:read',
    ({ webhookId }) => `node(id: ${text(globalId('Webhook', webhookId))}) { id ... on Webhook { ${webhook} } }`,
  ],
  'Query.nodes': [
    'webhooks:read',
    ({ accountId, draftId, webhookId }) => {
      const ids = [globalId('Account', accountId), globalId('Job', draftId), globalId('Webhook', webhookId)];
      return `nodes(ids: ${text(ids)}) { __typename id }`;
    },
  ],
  'Query.posts': [
    'posts:read',
    ({ accountId }) =>
      `posts(accountId: ${text(accountId)}, identifier: "ACoSandbox1") { nodes { ... on PnetPost { id text } } }`,
  ],
  'Query.webhook': ['webhooks:read', ({ webhookId }) => `webhook(webhookId: ${text(webhookId)}) { ${webhook} }`],
  'Query.webhooks': ['webhooks:read', () => `webhooks { nodes { ${webhook} } }`],
  'Mutation.createAccessToken': [
    'tokens:write',
    ({ accountId }) =>
      `createAccessToken(input: { scopes: [POSTS_READ], accountIds: [${text(accountId)}] }) { ${failure} ... on AccessTokenCreated { tokenId expiresAt } }`,
  ],
  'Mutation.createJobDraft': [
    'jobs:write',
    ({ accountId }) =>
      `createJobDraft(input: { accountId: ${text(accountId)}, posting: { jobTitle: { text: "New" } } }) { ${failure} ... on PnetJobPostingCreated { jobPosting { accountId } } }`,
  ],
  'Mutation.editJob': [
    'jobs:write',
    ({ accountId, draftId }) =>
      `editJob(input: { accountId: ${text(accountId)}, jobId: ${text(draftId)}, posting: { description: "changed" } }) { ${failure} ... on PnetJobPostingEdited { jobPosting { ${posting} } } }`,
  ],
  'Mutation.publishJob': [
    'jobs:write',
    ({ accountId, draftId }) =>
      `publishJob(input: { accountId: ${text(accountId)}, jobId: ${text(draftId)}, mode: FREE }) { ${failure} ... on PnetJobPostingPublishCheckpoint { jobPosting { ${posting} } } }`,
  ],
  'Mutation.solveJobCheckpoint': [
    'jobs:write',
    ({ accountId, draftId }) =>
      `solveJobCheckpoint(input: { accountId: ${text(accountId)}, jobId: ${text(draftId)}, solution: "123456" }) { ${failure} ... on PnetJobPostingPublished { jobPosting { ${posting} } } }`,
  ],
  'Mutation.createWebhook': [
    'webhooks:write',
    ({ accountId }) =>
      `createWebhook(input: { requestUrl: "https://hooks.example/new", isEnabled: false, accountIds: [${text(accountId)}], source: USERS }) { ${failure} ... on WebhookCreated { webhook { accounts { accountId name } } } }`,
  ],
  'Mutation.createTriggerWebhook': [
    'webhooks:write',
    ({ accountId }) =>
      `createTriggerWebhook(input: { requestUrl: "https://hooks.example/new", isEnabled: false, accountIds: [${text(accountId)}], trigger: { name: "Send", icon: WEBHOOK_ICON, context: CHAT } }) { ${failure} ... on WebhookCreated { webhook { accounts { accountId name } } } }`,
  ],
  'Mutation.emitEvent': [
    'events:write',
    ({ accountId }) =>
      `emitEvent(input: { accountId: ${text(accountId)}, event: NEW_RELATION }) { ${failure} ... on EventEmitted { deliveries { deliveryId accountId data } } }`,
  ],
  'Mutation.fireTriggerWebhook': [
    'events:write',
    ({ accountId, triggerId }) =>
      `fireTriggerWebhook(input: { accountId: ${text(accountId)}, webhookId: ${text(triggerId)}, chatId: "1" }) { ${failure} ... on EventEmitted { deliveries { deliveryId accountId } } }`,
  ],
  'Mutation.sendTestEvent': [
    'webhooks:write',
    ({ webhookId }) =>
      `sendTestEvent(input: { webhookId: ${text(webhookId)} }) { ${failure} ... on EventEmitted { deliveries { webhookId } } }`,
  ],
  'Mutation.redeliverDelivery': [
    'webhooks:write',
    ({ deliveryId }) =>
      `redeliverDelivery(input: { deliveryId: ${text(deliveryId)} }) { ${failure} ... on DeliveryScheduled { delivery { deliveryId } } }`,
  ],
  'Mutation.redeliverWebhookDeliveries': [
    'webhooks:write',
    ({ webhookId }) =>
      `redeliverWebhookDeliveries(input: { webhookId: ${text(webhookId)}, state: FAILED }) { ${failure} ... on DeliveriesRedelivered { count } }`,
  ],
  'Mutation.updateWebhook': [
    'webhooks:write',
    ({ accountId, webhookId }) =>
      `updateWebhook(input: { webhookId: ${text(webhookId)}, accountIds: [${text(accountId)}] }) { ${failure} ... on WebhookUpdated { webhook { ${webhook} } } }`,
  ],
  'Mutation.revealWebhookSecret': [
    'webhooks:write',
    ({ webhookId }) =>
      `revealWebhookSecret(input: { webhookId: ${text(webhookId)} }) { ${failure} ... on WebhookSecret { secret } }`,
  ],
  'Mutation.rotateWebhookSecret': [
    'webhooks:write',
    ({ webhookId }) =>
      `rotateWebhookSecret(input: { webhookId: ${text(webhookId)} }) { ${failure} ... on WebhookSecret { secret } }`,
  ],
  // Last, because the operations before need the webhook.
  'Mutation.deleteWebhook': [
    'webhooks:write',
    ({ webhookId }) =>
      `deleteWebhook(input: { webhookId: ${text(webhookId)} }) { ${failure} ... on WebhookDeleted { webhookId } }`,
  ],
};

/** The operation of a field such as `Mutation.publishJob`. */
export function documentOf(field: string, named: Named): string {
  const operation = fieldOperations.find((each) => each.field === field);
  if (operation === undefined) throw new Error(`No operation has the field ${field}`);
  return operation.document(named);
}

/**
 * Creates one object of each type in a workspace: an account, a draft that waits for a checkpoint, two disabled webhooks,
 * so that nothing is sent, and a held delivery of one of them. The name of each contains the id of the workspace.
 */
export async function furnish(workspace: SeededWorkspace): Promise<Named> {
  const { workspaceId } = workspace;
  const accountId = await workspace.account({ name: `Account of ${workspaceId}` });
  const fields = { job_title: { text: `Draft of ${workspaceId}` } };
  const draftId = await workspace.draft({ accountId, scenario: 'otp', fields });
  const listening = { enabled: 0, account_ids: JSON.stringify([accountId]) };
  const webhookId = await workspace.webhook({ ...listening, name: `Webhook of ${workspaceId}` });
  const triggerId = await workspace.webhook({
    ...listening,
    name: `Trigger of ${workspaceId}`,
    trigger: { name: 'Send', icon: 'ChatAppIcon', context: 'CHAT' },
  });
  const named = { accountId, draftId, webhookId, triggerId, deliveryId: '' };
  // In any set-up: the posting cannot be read in each.
  const publish = `publishJob(input: { accountId: ${text(accountId)}, jobId: ${text(draftId)}, mode: FREE })`;
  const opened = await workspace.ask(`mutation { ${publish} { __typename } }`);
  const emitted = await workspace.ask(documentOf('Mutation.emitEvent', named));
  const deliveryId = emitted.data?.emitEvent?.deliveries?.[0]?.deliveryId;
  if (opened.data?.publishJob?.__typename !== 'PnetJobPostingPublishCheckpoint' || typeof deliveryId !== 'string') {
    throw new Error(
      `The workspace could not be furnished: ${JSON.stringify([opened.data, emitted.data, emitted.errors])}`,
    );
  }
  return { ...named, deliveryId };
}

export const fieldOperations: readonly FieldOperation[] = Object.entries(operations).map(
  ([field, [scope, selection]]) => ({
    field,
    scope,
    document: (named) => `${field.startsWith('Mutation') ? 'mutation' : 'query'} { ${selection(named)} }`,
  }),
);

/** The root fields of queries and mutations in the schema. */
export const rootFields = () =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values((type as GraphQLObjectType).getFields()).map((field) => ({
      field: `${(type as GraphQLObjectType).name}.${field.name}`,
      scopes: requiredScopesOf(field)?.scopes,
    })),
  );
