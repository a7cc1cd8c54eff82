/** The operations of the benchmark of embedded mode. */
import { pnetPost, type Query, threeFields } from '../operations.ts';
import type { Filled } from './fill.ts';

const pageInfo = 'pageInfo { hasNextPage endCursor }';
const webhook = '__typename id webhookId name type isEnabled requestUrl format events source';
const job = `id jobId accountId state jobTitle { text } company { text } workplace location employmentStatus
  salary { currency min max payFrequency } createdAt updatedAt`;
const delivery = 'id deliveryId eventId event accountId state attemptCount nextAttemptAt createdAt finishedAt';

const posts = (accountId: string, first: number, fields: string) =>
  `{ posts(accountId: "${accountId}", identifier: "ACoSandbox250", first: ${first}) { nodes { ${fields} } ${pageInfo} } }`;

const scenarios = {
  few: { title: '10 posts of the sandbox, three fields', text: ({ accountId }) => posts(accountId, 10, threeFields) },
  all: { title: '100 posts of the sandbox, all fields', text: ({ accountId }) => posts(accountId, 100, pnetPost) },
  webhooks: { title: '50 webhooks', text: () => `{ webhooks(first: 50) { nodes { ${webhook} } ${pageInfo} } }` },
  jobs: { title: '50 job postings', text: () => `{ jobPostings(first: 50) { nodes { ${job} } ${pageInfo} } }` },
  deliveries: {
    title: '50 deliveries of a webhook',
    text: ({ webhookId }) =>
      `{ webhook(webhookId: "${webhookId}") { id name deliveries(first: 50) { nodes { ${delivery} } ${pageInfo} } } }`,
  },
} as const satisfies Record<string, { readonly title: string; readonly text: (filled: Filled) => string }>;

export type ScenarioName = keyof typeof scenarios;

export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** Of one database. All requests are the same: no list of embedded mode serves two of them. */
export const queryOf = (name: ScenarioName, filled: Filled): Query => ({
  title: scenarios[name].title,
  text: scenarios[name].text(filled),
  prefix: null,
});
