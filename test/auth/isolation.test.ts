/** Two workspaces on one gateway: for every root field, what is of one looks unknown to a key of the other. */
import { randomBytes } from 'node:crypto';
import { getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newJobId } from '../../src/capabilities/jobs/repository.ts';
import { globalId } from '../../src/graphql/kit/global-ids.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { SeededWorkspace, Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';
import { documentOf, fieldOperations, furnish, type Named, rootFields } from '../support/operations.ts';
import { schema } from '../support/schema.ts';
import { embedded } from './served-auth.ts';

let served: Served;
let owner: SeededWorkspace;
let stranger: SeededWorkspace;
let owned: Named;

beforeAll(async () => {
  served = await embedded.start();
  [owner, stranger] = [await served.workspace(), await served.workspace()];
  owned = await furnish(owner);
  await furnish(stranger);
});
afterAll(() => served.close());

const unknown = (): Named => ({
  accountId: newId(randomBytes),
  draftId: newJobId(randomBytes),
  webhookId: newId(randomBytes),
  triggerId: newId(randomBytes),
  deliveryId: newId(randomBytes),
});

/** An answer as text, with the ids that were asked for and those of requests made alike. */
function normalised({ data, errors }: { data: unknown; errors: readonly unknown[] }, named: Named): string {
  const { accountId, draftId, webhookId, triggerId, deliveryId } = named;
  const globals = [globalId('Account', accountId), globalId('Job', draftId), globalId('Webhook', webhookId)];
  const answer = [...globals, accountId, draftId, webhookId, triggerId, deliveryId].reduce(
    (text, id) => text.replaceAll(id, '(asked for)'),
    JSON.stringify({ data, errors }),
  );
  return answer.replace(/"requestId":"[^"]+"/g, '"requestId":""').replace(/"locations":\[.*?\],?/g, '');
}

async function stateOf(workspaceId: string): Promise<unknown> {
  const rows = (table: 'accounts' | 'jobs' | 'webhooks' | 'deliveries') =>
    served.database.selectFrom(table).selectAll().where('workspace_id', '=', workspaceId).orderBy('id').execute();
  return [await rows('accounts'), await rows('jobs'), await rows('webhooks'), await rows('deliveries')];
}

test('every root field of the schema has a case', () => {
  expect(fieldOperations.map(({ field }) => field).sort()).toEqual(
    rootFields()
      .map(({ field }) => field)
      .sort(),
  );
});

/** What would send something. The webhooks here are not enabled, and only those who see one are told so. */
const sending = ['fireTriggerWebhook', 'sendTestEvent', 'redeliverDelivery', 'redeliverWebhookDeliveries'].map(
  (name) => `Mutation.${name}`,
);

/** What a mutation makes, and says nothing else of. */
const made = ['"secret":"', '"tokenId":"'];

// What belongs to the owner is asked for first by the stranger, then by the owner, who may delete it: reads come first.
describe.each(fieldOperations)('$field', ({ field, document }) => {
  test("a stranger's key sees nothing of it, and changes nothing", async () => {
    const before = await stateOf(owner.workspaceId);
    const foreign = await stranger.ask(document(owned));
    const nothing = unknown();
    const missing = await stranger.ask(document(nothing));

    expect(foreign.errors.map(({ extensions }) => extensions.code)).not.toContain('INVALID_PARAMETERS');
    expect(normalised(foreign, owned)).toBe(normalised(missing, nothing));
    expect(JSON.stringify(foreign.data)).not.toContain(owner.workspaceId);
    expect(await stateOf(owner.workspaceId)).toEqual(before);
  });

  test('its owner sees it', async () => {
    const { data, errors } = await owner.ask(document(owned));
    expect(errors).toEqual([]);
    if (sending.includes(field)) {
      expect(JSON.stringify(data)).toContain('The webhook is disabled: enable it first.');
      return;
    }
    expect(JSON.stringify(data)).not.toContain('Error');
    if (!['Query.posts', 'Query.eventSamples'].includes(field)) {
      const seen = JSON.stringify(data);
      const marks = [owner.workspaceId, owned.accountId, owned.draftId, owned.webhookId, 'PnetJobPosting', ...made];
      expect(marks.some((mark) => seen.includes(mark))).toBe(true);
    }
  });
});

test("a stranger's own account does not open a draft of another workspace", async () => {
  const named = await furnish(owner);
  const accountId = await stranger.account();
  for (const field of ['editJob', 'publishJob', 'solveJobCheckpoint']) {
    const { data } = await stranger.ask(documentOf(`Mutation.${field}`, { ...named, accountId }));
    expect(data[field]).toMatchObject({ __typename: 'RequestError', code: 'RESOURCE_NOT_FOUND' });
  }
});

/** Lists of a workspace that need no argument. */
const countedLists = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, type }) => {
  const named = getNamedType(type);
  return isObjectType(named) && 'totalCount' in named.getFields() ? [name] : [];
});

test.each(countedLists)(
  'a cursor of %s is of one key: neither of another workspace nor of a limited key',
  async (list) => {
    const { accountId, webhookId } = await furnish(owner);
    await furnish(owner);
    for (const _ of [1, 2])
      await owner.ask(`mutation { sendTestEvent(input: { webhookId: "${webhookId}" }) { __typename } }`);
    // Within a page, whose start has no cursor of the port.
    const first = await owner.ask(`{ ${list}(first: 2) { edges { cursor } } }`);
    const after = first.data[list].edges[0]?.cursor as string;
    expect(after).toEqual(expect.any(String));
    const read = `query ($after: String) { ${list}(first: 1, after: $after) { edges { cursor } } }`;
    expect((await owner.ask(read, { after })).errors).toEqual([]);
    const limited = await owner.newKey({ accountIds: [accountId] });
    for (const foreign of [
      await stranger.ask(read, { after }),
      await graphql(served.address, limited, read, { after }),
    ]) {
      expect(foreign.errors[0]?.extensions).toMatchObject({ code: 'INVALID_PARAMETERS' });
    }
  },
);

test('a webhook that names accounts of a workspace shows another key of it only what that key may see', async () => {
  const named = await furnish(owner);
  const other = await owner.account();
  const key = await owner.newKey({ accountIds: [other] });
  const query = `{ webhook(webhookId: "${named.webhookId}") { accounts { accountId account { name } } } }`;
  const { data } = await graphql(served.address, key, query);
  expect(data.webhook?.accounts?.[0]?.account ?? null).toBeNull();
});
