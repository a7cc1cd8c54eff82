/** Deliveries over GraphQL: a gateway that delivers to a receiver, and the requests that tests of it share. */
import { expect, onTestFinished } from 'vitest';
import { type DeliverySetUp, startDelivering } from './deliveries.ts';
import { graphql } from './gateway.ts';
import { startReceiver } from './receiver.ts';

const failure = '... on ServiceError { code message } ... on InvalidRequestError { issues { path message } }';

export const emitDocument = `mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) { __typename
  ... on EventEmitted { eventId isRepeated deliveries { deliveryId state webhookId } } ${failure} } }`;

export const createDocument = `mutation Create($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename
  ... on WebhookCreated { webhookId } ${failure} } }`;

export const stateDocument = `query State(
    $webhookId: ID!, $first: Int! = 50, $after: String, $states: [DeliveryState!]
  ) { webhook(webhookId: $webhookId) {
  isEnabled health { disabledReason failedAttemptCount failingSince pausedUntil } headers { key value }
  deliveries(first: $first, after: $after, states: $states) { pageInfo { hasNextPage endCursor }
    nodes { id deliveryId event state attemptCount nextAttemptAt finishedAt data
      lastAttempt { number status responseBody }
      attempts { nodes { number status failure durationMs responseBody } } } } } }`;

/** What each mutation selects of its success. GraphQL refuses a fragment on a type that the result cannot have. */
const selections: Readonly<Record<string, string>> = {
  redeliverWebhookDeliveries: '... on DeliveriesRedelivered { count }',
  createTriggerWebhook: '... on WebhookCreated { webhookId }',
  sendTestEvent: '... on EventEmitted { deliveries { deliveryId } }',
  fireTriggerWebhook: '... on EventEmitted { deliveries { deliveryId } }',
};

/** Starts a gateway and a receiver for one test; both close when it ends. */
export async function startDeliveriesOverGraphQL(dialect: DeliverySetUp) {
  const receiver = await startReceiver();
  const gateway = await startDelivering({ dialect });
  onTestFinished(async () => {
    await gateway.close();
    await receiver.close();
  });
  const ask = (query: string, variables = {}, key: string | undefined = gateway.space.key) =>
    graphql(gateway.address, key, query, variables);
  return {
    gateway,
    receiver,
    ask,
    /** Runs the mutation of this name, and expects no top-level error. */
    async act(name: string, input: object, key?: string) {
      const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
      const document = `mutation Act($input: ${type}!) { ${name}(input: $input) {
        __typename ${selections[name] ?? ''} ${failure} } }`;
      const { data, errors } = await ask(document, { input }, key);
      expect(errors).toEqual([]);
      return data[name];
    },
    /** Reads a webhook's health and deliveries. */
    async read(webhookId: string, variables = {}) {
      const { data, errors } = await ask(stateDocument, { webhookId, ...variables });
      expect(errors).toEqual([]);
      return data.webhook;
    },
    /** Creates a webhook for `new_relation` at the receiver. */
    async createWebhook(input = {}): Promise<string> {
      const { data } = await ask(createDocument, {
        input: { requestUrl: receiver.address, source: 'USERS', ...input },
      });
      return data.createWebhook.webhookId;
    },
  };
}
