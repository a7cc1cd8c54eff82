/** Mercurius with its JIT over Postern's own database and sandbox networks. Arguments: the database, the workspace. */
import { sandboxNetworks } from '../../../src/providers/sandbox/networks.ts';
import { openDatabase } from './database.js';
import { globalId, renamed, resolvers } from './schema.js';
import { serve } from './serve-mercurius.js';

const [, , url, workspaceId] = process.argv;
const database = openDatabase(url, workspaceId);
const networks = sandboxNetworks({ clock: () => new Date() });
const { signal } = new AbortController();

const client = {
  async list({ accountId, identifier, first, isCompany = false }) {
    const { id, type, session } = await database.accountOf(accountId);
    return networks[type].listPosts(
      { accountId: id, type, token: session },
      { identifier, isCompany, cursor: null, limit: first },
      signal,
    );
  },
};

const upper = (text) => text.toUpperCase();
const isoOf = (time) => (time === null ? null : new Date(time).toISOString());
const createdAt = ({ created_at }) => isoOf(created_at);

/** A page of rows, of which there is one more if another page follows. */
const pageOf = (rows, first) => ({ items: rows.slice(0, first), hasNextPage: rows.length > first });

const connection = {
  nodes: ({ items }) => items,
  pageInfo: ({ items, hasNextPage }) => ({
    hasNextPage,
    hasPreviousPage: false,
    endCursor: globalId('cursor', String(items.at(-1)?.created_at), items.at(-1)?.id),
  }),
};

const webhook = {
  id: ({ id }) => globalId('Webhook', id),
  webhookId: ({ id }) => id,
  isEnabled: ({ enabled }) => enabled === 1,
  format: ({ format }) => upper(format),
  events: ({ events }) => JSON.parse(events).map(upper),
  ...renamed('requestUrl'),
  deliveries: async ({ id }, { first }) => pageOf(await database.deliveries(id, first + 1), first),
};

/** A field of the content of a job, which is parsed once. */
const content = (name, read = (value) => value) => [
  camelCase(name),
  (job) => {
    job.content ??= JSON.parse(job.fields);
    const value = job.content[name];
    return value === undefined ? null : read(value);
  },
];
const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

const { Query, ...types } = resolvers(client);
await serve({
  ...types,
  Query: {
    ...Query,
    webhooks: async (_root, { first }) => pageOf(await database.webhooks(first + 1), first),
    webhook: (_root, { webhookId }) => database.webhook(webhookId),
    jobPostings: async (_root, { first }) => pageOf(await database.jobs(first + 1), first),
  },
  WebhookConnection: connection,
  PnetJobPostingConnection: connection,
  DeliveryConnection: connection,
  Webhook: { ...webhook, source: ({ source }) => upper(source) },
  PnetJobPosting: {
    id: ({ id }) => globalId('Job', id),
    jobId: ({ id }) => id,
    state: ({ state }) => upper(state),
    createdAt,
    updatedAt: ({ updated_at }) => isoOf(updated_at),
    ...renamed('accountId'),
    ...Object.fromEntries([
      content('job_title'),
      content('company'),
      content('workplace'),
      content('location'),
      content('employment_status'),
      content('salary'),
    ]),
  },
  PnetJobPay: renamed('payFrequency'),
  Delivery: {
    id: ({ id }) => globalId('Delivery', id),
    deliveryId: ({ id }) => id,
    event: ({ event }) => upper(event),
    state: ({ state }) => upper(state),
    attemptCount: ({ attempts }) => attempts,
    nextAttemptAt: ({ state, claim_token, next_at }) =>
      state === 'pending' && claim_token === null && next_at > Date.now() ? isoOf(next_at) : null,
    createdAt,
    finishedAt: ({ finished_at }) => isoOf(finished_at),
    ...renamed('eventId', 'accountId'),
  },
});
