/** The operations of the page. A test holds them against the schema. */

const attempts = 'count succeededCount successRate medianDurationMs p95DurationMs';
const backlog = 'backlog { pendingCount heldCount oldestPendingAt }';
const shown = `webhookId name type isEnabled requestUrl
  health { state disabledReason disabledAt failingSince failedAttemptCount pausedUntil }
  ${backlog}`;
const row = `id __typename ${shown}
  statistics(period: $period) {
    total { ${attempts} }
    spans { startsAt count succeededCount }
  }`;
const viewer = `viewer {
  name scopes accountIds
  workspace {
    name
    webhookSummary(period: $period) {
      count disabledCount disabledByGatewayCount failingCount
      ${backlog}
      statistics { total { count succeededCount successRate } }
    }
  }
}`;

export const list = /* GraphQL */ `
  query WebhooksPage($period: StatisticsPeriod!, $healthStates: [WebhookHealthState!], $query: String, $after: String) {
    ${viewer}
    webhooks(first: 50, healthStates: $healthStates, query: $query, after: $after) {
      nodes { ${row} }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

/** The webhooks that are listed, at most 50. */
export const rows = /* GraphQL */ `
  query RowsOfPage($period: StatisticsPeriod!, $ids: [ID!]!) {
    ${viewer}
    nodes(ids: $ids) { ... on Webhook { ${row} } }
  }
`;

const delivery = `deliveryId webhookId event notice accountId state attemptCount nextAttemptAt createdAt finishedAt
  account @include(if: $seesAccounts) { name type accountId }
  lastAttempt { startedAt durationMs status failure }`;

const deliveries = `deliveries(first: $first, after: $after, states: $states, events: $events, since: $since) {
  nodes { ${delivery} }
  pageInfo { hasNextPage endCursor }
}`;

export const detail = /* GraphQL */ `
  query WebhookOfPage(
    $webhookId: ID!
    $period: StatisticsPeriod!
    $states: [DeliveryState!]
    $events: [WebhookEvent!]
    $since: DateTime
    $first: Int!
    $after: String
    $seesAccounts: Boolean!
  ) {
    webhook(webhookId: $webhookId) {
      __typename
      ${shown}
      format
      events
      source
      headers { key value }
      data { key name }
      accounts { accountId name type }
      receivesNotices
      statistics(period: $period) {
        total { ${attempts} }
        spans { startsAt ${attempts} }
      }
      ${deliveries}
    }
  }
`;

export const moreDeliveries = /* GraphQL */ `
  query MoreDeliveries(
    $webhookId: ID!
    $states: [DeliveryState!]
    $events: [WebhookEvent!]
    $since: DateTime
    $first: Int!
    $after: String
    $seesAccounts: Boolean!
  ) {
    webhook(webhookId: $webhookId) { ${deliveries} }
  }
`;

/** A delivery that was searched for. */
export const oneDelivery = /* GraphQL */ `
  query DeliveryOfPage($deliveryId: ID!, $seesAccounts: Boolean!) {
    delivery(deliveryId: $deliveryId) { ${delivery} }
  }
`;

export const contentsOfDelivery = /* GraphQL */ `
  query ContentsOfPage($deliveryId: ID!) {
    delivery(deliveryId: $deliveryId) {
      data
      attempts(first: 50) { nodes { number startedAt durationMs status failure responseBody responseHeaders { key value } } }
    }
  }
`;

const failure = '... on ServiceError { message status }';

/** Which events there are, and what they look like. */
export const sources = /* GraphQL */ `
  query SourcesOfPage { eventSamples { source event payload } }
`;

export const accounts = /* GraphQL */ `
  query AccountsOfPage { accounts(first: 250) { nodes { accountId name type } } }
`;

const issues = `... on InvalidRequestError { issues { path code limit message } } ${failure}`;

export const create = /* GraphQL */ `
  mutation Create($input: CreateWebhookInput!) {
    createWebhook(input: $input) { __typename ... on WebhookCreated { webhookId } ${issues} }
  }
`;

export const update = /* GraphQL */ `
  mutation Update($input: UpdateWebhookInput!) { updateWebhook(input: $input) { __typename ${issues} } }
`;

export const remove = /* GraphQL */ `
  mutation Delete($webhookId: ID!) { deleteWebhook(input: { webhookId: $webhookId }) { __typename ${failure} } }
`;

export const rotateSecret = /* GraphQL */ `
  mutation RotateSecret($webhookId: ID!) {
    rotateWebhookSecret(input: { webhookId: $webhookId }) {
      __typename
      ... on WebhookSecret { secret }
      ${failure}
    }
  }
`;

export const revealSecret = /* GraphQL */ `
  mutation RevealSecret($webhookId: ID!) {
    revealWebhookSecret(input: { webhookId: $webhookId }) {
      __typename
      ... on WebhookSecret { secret }
      ${failure}
    }
  }
`;

export const redeliver = /* GraphQL */ `
  mutation Redeliver($deliveryId: ID!) { redeliverDelivery(input: { deliveryId: $deliveryId }) { __typename ${failure} } }
`;

export const redeliverAll = /* GraphQL */ `
  mutation RedeliverAll($input: RedeliverWebhookDeliveriesInput!) {
    redeliverWebhookDeliveries(input: $input) {
      __typename
      ... on DeliveriesRedelivered { count }
      ${failure}
    }
  }
`;

export const sendTest = /* GraphQL */ `
  mutation SendTest($webhookId: ID!) {
    sendTestEvent(input: { webhookId: $webhookId }) {
      __typename
      ... on EventEmitted { deliveries { deliveryId webhookId } }
      ${failure}
    }
  }
`;

/** What a test event came to. */
export const outcomeOfDelivery = /* GraphQL */ `
  query OutcomeOfPage($deliveryId: ID!) {
    delivery(deliveryId: $deliveryId) { state lastAttempt { durationMs status failure } }
  }
`;

export const changes = /* GraphQL */ `
  subscription ChangesOfPage($seesAccounts: Boolean!) { deliveryUpdated { ${delivery} } }
`;
