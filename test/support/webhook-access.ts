/** Webhooks of one account, of two and of all, and keys that are limited to some of these accounts. */
import { randomBytes } from 'node:crypto';
import { sealHeaders } from '../../src/capabilities/webhooks/repository.ts';
import type { Access } from '../../src/kernel/caller.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Database } from '../../src/store/database.ts';
import { allBackends, onOneDatabase, type SeededWorkspace, seeded } from './backends.ts';
import { startGateway } from './gateway.ts';
import type { Named } from './operations.ts';
import { testVault } from './webhooks.ts';

/** What a key may do with a webhook: the one table that every outcome is derived from. */
export const accessTable = {
  unlimited: { one: 'manage', two: 'manage', all: 'manage' },
  'limited to the accounts': { one: 'manage', two: 'manage', all: 'see' },
  'limited to one of the accounts': { one: 'manage', two: 'see', all: 'see' },
  'limited to another account': { one: 'none', two: 'none', all: 'see' },
} as const satisfies Record<string, Record<string, Access>>;

export type KeyName = keyof typeof accessTable;
export type WebhookName = keyof (typeof accessTable)[KeyName];
export const keyNames = Object.keys(accessTable) as KeyName[];
export const webhookNames = Object.keys(accessTable.unlimited) as WebhookName[];

/** What no key may see that does not manage the webhook. */
export const secrets = ['header-secret', 'path-secret', 'query-secret', 'response-secret', 'answer-secret', 'whsec_'];

export interface Stage {
  /** Of the face under test. */
  readonly address: string;
  /** Holds the webhooks. */
  readonly database: Database;
  readonly keys: Readonly<Record<KeyName, string>>;
  /** The accounts that each key is limited to. */
  readonly limits: Readonly<Record<KeyName, readonly string[] | null>>;
  readonly accounts: Readonly<Record<'a' | 'b' | 'c', string>>;
  readonly listened: Readonly<Record<WebhookName, readonly string[]>>;
  /** Stores a disabled webhook with all that can be secret, a trigger like it, and deliveries to it for each account. */
  furnish(webhook: WebhookName): Promise<Named>;
  /** Deletes what was stored: whatever goes to all webhooks, or lists them, would take longer with every test. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

interface Place {
  readonly address: string;
  readonly database: Database;
  /** Holds the data. */
  readonly data: SeededWorkspace;
  /** Makes keys of the face. */
  readonly keys: Pick<SeededWorkspace, 'newKey'>;
  close(): Promise<void>;
}

export const stages: readonly {
  readonly name: string;
  /** Whether it serves the additions to the contract. */
  readonly additions: boolean;
  start(): Promise<Stage>;
}[] = [
  ...onOneDatabase(allBackends)
    .filter(({ serves }) => serves.accounts)
    .map(({ name, start }) => ({
      name,
      additions: true,
      async start() {
        // Every field of everything at once.
        const served = await start({ environment: { GRAPHQL_MAX_COST: '1000000' } });
        const data = await served.workspace();
        return furnished({ ...served, data, keys: data });
      },
    })),
  {
    name: 'a gateway with UPSTREAM_API_KEY',
    additions: false,
    async start() {
      const origin = await startGateway();
      const { database, workspace } = seeded(origin, origin.address);
      const data = await workspace();
      const face = await startGateway({
        environment: { UPSTREAM_URL: origin.address, UPSTREAM_API_KEY: data.key, GRAPHQL_MAX_COST: '1000000' },
      });
      return furnished({
        address: face.address,
        database,
        data,
        keys: await face.workspace(),
        async close() {
          await face.close();
          await origin.close();
        },
      });
    },
  },
];

async function furnished({ data, keys, database, ...place }: Place): Promise<Stage> {
  const account = (name: string) => data.account({ name: `Name of account ${name}` });
  const accounts = { a: await account('a'), b: await account('b'), c: await account('c') };
  const limits = {
    unlimited: null,
    'limited to the accounts': [accounts.a, accounts.b],
    'limited to one of the accounts': [accounts.a],
    'limited to another account': [accounts.c],
  };
  const newKey = async (name: KeyName) => {
    const accountIds = limits[name];
    return [name, await keys.newKey(accountIds === null ? {} : { accountIds })];
  };
  const listened = { one: [accounts.a], two: [accounts.a, accounts.b], all: [] };
  return {
    ...place,
    database,
    accounts,
    limits,
    listened,
    keys: Object.fromEntries(await Promise.all(keyNames.map(newKey))),
    async furnish(webhook) {
      const stored = (id: string) => ({
        id,
        enabled: 0,
        account_ids: JSON.stringify(listened[webhook]),
        request_url: 'https://hooks.example/path-secret?token=query-secret',
        headers: sealHeaders(testVault, id, [{ key: 'authorization', value: 'Bearer header-secret' }]),
        data: '[{"name":"who","key":"user_full_name"}]',
      });
      const trigger = { name: 'Send', icon: 'ChatAppIcon', context: 'CHAT' } as const;
      const webhookId = await data.webhook(stored(newId(randomBytes)));
      const triggerId = await data.webhook({ ...stored(newId(randomBytes)), trigger });
      const of = { workspaceId: data.workspaceId, webhookId };
      await storeDelivery(database, { ...of, accountId: accounts.b });
      await storeDelivery(database, { ...of, accountId: accounts.c });
      const deliveryId = await storeDelivery(database, { ...of, accountId: accounts.a });
      return { accountId: accounts.a, draftId: '1', webhookId, triggerId, deliveryId };
    },
    async clear() {
      for (const table of ['delivery_attempts', 'deliveries', 'events', 'webhook_destinations', 'webhooks'] as const)
        await database.deleteFrom(table).execute();
    },
  };
}

/** An hour before the gateways' time: retention would delete an older event at any moment. */
const created_at = Date.parse('2026-11-20T11:00:00Z');

/** Stores a failed delivery with one attempt, whose data names its account. */
async function storeDelivery(
  database: Database,
  of: { readonly workspaceId: string; readonly webhookId: string; readonly accountId: string },
): Promise<string> {
  const [eventId, deliveryId] = [newId(randomBytes), newId(randomBytes)];
  const common = { workspace_id: of.workspaceId, account_id: of.accountId, event: 'new_relation', created_at };
  const data = JSON.stringify({ user_full_name: `Known to ${of.accountId}` });
  const event = { source: 'users', account_type: 'PNET', idempotency_key: null, fingerprint: '', data } as const;
  await database
    .insertInto('events')
    .values({ ...common, ...event, id: eventId })
    .execute();
  await database
    .insertInto('deliveries')
    .values({
      ...common,
      id: deliveryId,
      webhook_id: of.webhookId,
      event_id: eventId,
      state: 'failed',
      attempts: 1,
      attempts_before: 0,
      next_at: 0,
      claim_token: null,
      finished_at: created_at,
    })
    .execute();
  const attempt = { number: 1, started_at: 1, duration_ms: 1, status: 500, failure: null };
  await database
    .insertInto('delivery_attempts')
    .values({
      ...attempt,
      delivery_id: deliveryId,
      response_body: 'response-secret',
      response_headers: 'x-answer: answer-secret',
    })
    .execute();
  return deliveryId;
}
