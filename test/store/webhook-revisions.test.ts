/**
 * The revision of a webhook counts whatever changes what is sent, and to where: what was claimed before is not sent then. Of the
 * destination it counts the secrets alone, because its health changes with what is sent.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookDestinationTable, WebhookTable } from '../../src/store/schema.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** What the database derives: the revision itself, the health, which changes with what is sent, and the name's key. */
const derived = ['revision', 'health', 'name_key'] as const;
type Derived = (typeof derived)[number];

/** Another value for each column; a new one does not compile until it stands here. */
const webhookChanges = (gateway: DeliveringGateway, workspaceId: string): Omit<WebhookTable, 'id' | Derived> => ({
  workspace_id: workspaceId,
  type: 'TRIGGER',
  source: 'messaging',
  name: null,
  enabled: 0,
  request_url: 'https://hooks.example/changed',
  format: 'form',
  account_ids: JSON.stringify([gateway.accountId]),
  headers: '[{}]',
  data: '[]',
  events: '[]',
  trigger: '{}',
  created_at: 1,
});

/** Another value for each column, and whether what was claimed is not sent after the change. */
const destinationChanges: Readonly<
  Record<Exclude<keyof WebhookDestinationTable, 'webhook_id'>, readonly [value: string | number, counts: boolean]>
> = {
  secrets: ['[]', true],
  secret_shown: [1, false],
  failing: [1, false],
  failing_since: [1, false],
  failed_attempts: [1, false],
  paused_until: [1, false],
  disabled_reason: ['gone', false],
  disabled_at: [1, false],
};

describe.each(databases)('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let id: string;
  let changes: { readonly webhooks: Row; readonly webhook_destinations: Row };

  beforeAll(async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
    id = await gateway.webhook('https://hooks.example');
    const { workspaceId } = await gateway.workspace();
    changes = {
      webhooks: { ...webhookChanges(gateway, workspaceId) },
      webhook_destinations: Object.fromEntries(
        Object.entries(destinationChanges).map(([column, [value]]) => [column, value]),
      ),
    };
  });
  afterAll(() => gateway.close());

  const columnsOf = async (table: keyof typeof changes) => {
    const tables = await gateway.app.database.introspection.getTables();
    return tables.flatMap(({ name, columns }) => (name === table ? columns.map((column) => column.name) : [])).sort();
  };
  const revision = async () => {
    const row = gateway.app.database.selectFrom('webhooks').select('revision').where('id', '=', id);
    return (await row.executeTakeFirstOrThrow()).revision ?? 0;
  };
  /** By how much the revision grows when a column is set to a value. */
  const counted = async (table: keyof typeof changes, column: string) => {
    const before = await revision();
    const key = sql.ref(table === 'webhooks' ? 'id' : 'webhook_id');
    const change = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${changes[table][column]} where ${key} = ${id}`;
    expect(await change.execute(gateway.app.database)).toMatchObject({ numAffectedRows: 1n });
    return (await revision()) - before;
  };

  it('the columns are those of the tables', async () => {
    const isWritten = (column: string) => !derived.some((each) => each === column);
    const columns = (await columnsOf('webhooks')).filter(isWritten);
    expect(columns).toEqual(['id', ...Object.keys(changes.webhooks)].sort());
    const destination = ['webhook_id', ...Object.keys(changes.webhook_destinations)];
    expect(await columnsOf('webhook_destinations')).toEqual(destination.sort());
  });

  it('each column of a webhook counts once', async () => {
    const columns = Object.keys(changes.webhooks);
    const counts = [];
    for (const column of columns) counts.push([column, await counted('webhooks', column)]);
    expect(counts).toEqual(columns.map((column) => [column, 1]));
  });

  it('its health does not count', async () => {
    const before = await revision();
    await gateway.app.database.updateTable('webhooks').set({ health: 'other' }).where('id', '=', id).execute();
    expect(await revision()).toBe(before);
  });

  it('of its destination the secrets count, and its health does not', async () => {
    const counts = [];
    for (const column of Object.keys(destinationChanges))
      counts.push([column, (await counted('webhook_destinations', column)) === 1]);
    expect(counts).toEqual(Object.entries(destinationChanges).map(([column, [, counts]]) => [column, counts]));
  });
});
