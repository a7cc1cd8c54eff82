/** The operations of the page. A test holds them against the schema. */

const attempts = 'count succeededCount successRate medianDurationMs p95DurationMs';
const shown = `webhookId name enabled requestUrl
  health { disabledReason disabledAt failingSince pausedUntil }
  backlog { pendingCount heldCount oldestPendingAt }`;

export const overview = /* GraphQL */ `
  query WebhooksPage($period: StatisticsPeriod!, $after: String) {
    viewer { name scopes accountIds workspace { name } }
    webhooks(first: 50, after: $after) {
      nodes {
        __typename
        ${shown}
        statistics(period: $period) {
          attempts { ${attempts} }
          spans { startsAt attempts { count succeededCount } }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

export const detail = /* GraphQL */ `
  query WebhookOfPage($webhookId: ID!, $period: StatisticsPeriod!, $state: [DeliveryState!], $first: Int!) {
    webhook(webhookId: $webhookId) {
      __typename
      ${shown}
      events
      accounts { name type }
      receivesNotices
      statistics(period: $period) {
        attempts { ${attempts} }
        spans { startsAt attempts { ${attempts} } }
      }
      deliveries(first: $first, state: $state) {
        nodes {
          deliveryId
          event
          notice
          state
          attemptCount
          nextAttemptAt
          createdAt
          finishedAt
          lastAttempt { startedAt durationMs status failure }
        }
        pageInfo { hasNextPage }
      }
    }
  }
`;

export const attemptsOfDelivery = /* GraphQL */ `
  query AttemptsOfPage($deliveryId: ID!) {
    delivery(deliveryId: $deliveryId) {
      attempts(first: 50) { nodes { number startedAt durationMs status failure } }
    }
  }
`;

const failure = '... on ServiceError { detail status }';

export const redeliver = /* GraphQL */ `
  mutation Replay($deliveryId: ID!) { redeliver(input: { deliveryId: $deliveryId }) { __typename ${failure} } }
`;

export const redeliverAll = /* GraphQL */ `
  mutation ReplayAll($webhookId: ID!, $state: RedeliverableState!) {
    redeliverAll(input: { webhookId: $webhookId, state: $state }) {
      __typename
      ... on DeliveriesRedelivered { count }
      ${failure}
    }
  }
`;

export const setEnabled = /* GraphQL */ `
  mutation SetEnabled($webhookId: ID!, $enabled: Boolean!) {
    setWebhookEnabled(input: { webhookId: $webhookId, enabled: $enabled }) { __typename ${failure} }
  }
`;

export const setNotices = /* GraphQL */ `
  mutation SetNotices($webhookId: ID!, $receives: Boolean!) {
    setWebhookNotices(input: { webhookId: $webhookId, receives: $receives }) { __typename ${failure} }
  }
`;

export const sendTest = /* GraphQL */ `
  mutation SendTest($webhookId: ID!) { sendTestEvent(input: { webhookId: $webhookId }) { __typename ${failure} } }
`;

export const changes = /* GraphQL */ `
  subscription ChangesOfPage { deliveryUpdated { webhookId } }
`;
