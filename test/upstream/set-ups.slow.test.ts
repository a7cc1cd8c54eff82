/**
 * The table of docs/run/proxy-mode.md of what each set-up serves, cell by cell: it works with a request to the service, or
 * without one, or is not in the schema.
 */
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { learnAccounts } from '../../src/auth/account-repository.ts';
import { globalId } from '../../src/graphql/kit/global-ids.ts';
import { type SetUp, setUps } from '../../src/kernel/set-up.ts';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { features } from '../support/docs-tables/set-ups.ts';
import { inFrontOf } from '../support/fronting.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { documentOf, furnish, type Named, rootFields } from '../support/operations.ts';
import { schema } from '../support/schema.ts';
import { servedPart } from '../support/served-part.ts';

const subscriptions: Readonly<Record<string, (named: Named) => string>> = {
  'Subscription.accountUpdated': ({ accountId }) => `accountUpdated(accountIds: ["${accountId}"]) { accountId }`,
  'Subscription.deliveryUpdated': () => 'deliveryUpdated { deliveryId }',
  'Subscription.eventReceived': () => 'eventReceived { eventId }',
  'Subscription.jobPostingUpdated': ({ draftId }) => `jobPostingUpdated(jobIds: ["${draftId}"]) { jobId }`,
};

test('the table has each root field, and each subscription, once', () => {
  const all = [...rootFields().map(({ field }) => field), ...Object.keys(subscriptions)];
  const live = Object.keys(schema.getSubscriptionType()?.getFields() ?? {});
  expect(Object.keys(subscriptions).sort()).toEqual(live.map((name) => `Subscription.${name}`).sort());
  const named = features.flatMap(({ fields }) => fields).filter((field) => !field.startsWith('/'));
  expect([...named].sort()).toEqual([...all].sort());
});

/** In place of the one that leads to jobs and to accounts as well. */
const narrowed: Readonly<Record<string, (named: Named) => string>> = {
  'Query.nodes': ({ webhookId }) => `{ nodes(ids: ["${globalId('Webhook', webhookId)}"]) { id } }`,
};

const notInSchema = { code: 'INVALID_PARAMETERS' };
const noPage = (path: string) => ({ type: 'errors/resource_not_found', detail: expect.stringContaining(path) });

interface Outcome {
  readonly data: unknown;
  /** Of the first failure. */
  readonly failure: object | undefined;
}

const failureOf = (error: { readonly message: string; readonly extensions: object } | undefined) =>
  error && { message: error.message, ...error.extensions };

/** Of a mutation, what its result leads to counts for nothing: it was carried out. */
function outcomeOf({ data, errors }: Awaited<ReturnType<typeof graphql>>, isMutation = false): Outcome {
  const [error] = errors.filter(({ path = [] }) => !isMutation || path.length < 2);
  const [result] = Object.values((data ?? {}) as Record<string, { code?: string } | null>);
  return { data, failure: failureOf(error) ?? (result?.code === undefined ? undefined : result) };
}

/** At the service, which refuses to deliver to loopback. */
const registered = 'the service does not send all of its events';

describe.each(setUps)('%s', (setUp) => {
  let service: Gateway;
  let face: Gateway;
  /** Of the service; and of the gateway in front, with its key, where that keeps webhooks. */
  let theirs: SeededWorkspace;
  let own: SeededWorkspace;
  let key: string;

  beforeAll(async () => {
    service = await startGateway();
    theirs = await seeded(service, service.address).workspace();
    const environment: Readonly<Record<SetUp, Readonly<Record<string, string>>>> = {
      embedded: {},
      'own-webhooks': inFrontOf(service, theirs),
      'own-keys': { UPSTREAM_URL: service.address, UPSTREAM_API_KEY: theirs.key },
      'forwarded-keys': { UPSTREAM_URL: service.address },
    };
    face = setUp === 'embedded' ? service : await startGateway({ environment: environment[setUp] });
    own = setUp === 'embedded' || setUp === 'forwarded-keys' ? theirs : await seeded(face, face.address).workspace();
    if (setUp === 'own-webhooks')
      await vi.waitFor(() => expect(face.log.map(({ msg }) => msg)).toContain(registered), 10_000);
  });
  afterAll(async () => {
    if (face !== service) await face.close();
    await service.close();
  });

  const ask = async (query: string) => outcomeOf(await graphql(face.address, key, query), query.startsWith('mutation'));

  /** What the operations refer to: jobs of the service, and webhooks of whom the table says. */
  async function named(): Promise<Named> {
    const made = await furnish(theirs);
    const learnt = { id: made.accountId, name: 'Known', type: 'PNET', status: 'OK' } as const;
    const account = async () => {
      await learnAccounts(face.app.database, own.workspaceId, [learnt], face.clock.now);
      return made.accountId;
    };
    const ids = setUp === 'own-webhooks' ? await furnish({ ...own, account, draft: async () => made.draftId }) : made;
    const { database } = setUp === 'own-webhooks' ? face.app : service.app;
    await database.updateTable('webhooks').set({ enabled: 1, request_url: 'http://127.0.0.1:9/' }).execute();
    return ids;
  }

  /** Without what leads to no field of the set-up; what is not served at all stays as it is. */
  const servedOf = (query: string) => servedPart(setUp, query) ?? query;

  /** The first that is told, while things change. */
  async function follow(query: string, { accountId, draftId }: Named): Promise<Outcome> {
    const client = createClient({
      url: `${face.address}/graphql`,
      headers: { 'x-api-key': key },
      retryAttempts: 0,
    });
    onTestFinished(() => client.dispose());
    const first = client.iterate<Record<string, unknown>>({ query: `subscription { ${query} }` }).next();
    const isTold = first.then(() => true);
    for (let round = 0, told = false; !told; round += 1) {
      await ask(`mutation { emitEvent(input: { accountId: "${accountId}", event: NEW_RELATION }) { __typename } }`);
      await ask(
        `mutation { editJob(input: { accountId: "${accountId}", jobId: "${draftId}", posting: { description: "${round}" } }) { __typename } }`,
      );
      const status = round % 2 === 0 ? 'CREDENTIALS' : 'OK';
      if (setUp === 'own-webhooks' || setUp === 'embedded')
        await face.app.database.updateTable('accounts').set({ status }).where('id', '=', accountId).execute();
      told = await Promise.race([isTold, new Promise<false>((resolve) => setTimeout(resolve, 50, false))]);
    }
    const { data, errors } = (await first).value ?? {};
    return { data, failure: failureOf(errors?.[0]) };
  }

  async function open(path: string): Promise<Outcome> {
    const response = await fetch(face.address + path, { headers: { accept: 'text/html' } });
    if (response.ok) return { data: await response.text(), failure: undefined };
    // A browser gets a page of names.
    return { data: null, failure: await (await fetch(face.address + path)).json() };
  }

  const asked = () => service.log.filter(({ msg }) => msg === 'request').length;

  const cells = features.flatMap(({ fields, operations = {}, from }) => [
    ...fields.map((field) => ({ field, query: undefined, from: from[setUp] })),
    ...Object.entries(operations).map(([field, query]) => ({ field, query, from: from[setUp] })),
  ]);

  test.each(cells)('$field: $from', async ({ field, query, from }) => {
    const ids = await named();
    // What a service says of a key is kept for some seconds.
    key = await own.newKey();
    const before = asked();
    const attempt = () => {
      if (field.startsWith('/')) return open(field);
      const live = subscriptions[field];
      return live === undefined
        ? ask(servedOf(query ?? narrowed[field]?.(ids) ?? documentOf(field, ids)))
        : follow(live(ids), ids);
    };
    const { data, failure } = await attempt();
    if (from === 'none') {
      expect({ data, failure }).toMatchObject({ failure: field.startsWith('/') ? noPage(field) : notInSchema });
      return;
    }
    expect({ failure, data }).toEqual({ failure: undefined, data: expect.anything() });
    if (setUp !== 'embedded' && !field.startsWith('Subscription')) expect(asked() > before).toBe(from === 'service');
  });
});
