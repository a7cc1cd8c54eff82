/** The steps behind the baseline, in order. A released one is never changed. */
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { SchemaSteps } from '../compatibility.ts';

const worksFrom = '011_queue_indexes';

const shown = 'where source is not null and webhook_id is null';

export const sinceBaseline: SchemaSteps = {
  '022_stored_bytes': {
    worksFrom,
    /** Bytes of events by workspace and day, so that the sum of a workspace is few rows. Events from before count nothing. */
    async up(db: Kysely<never>) {
      const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
      await db.schema
        .createTable('stored_bytes')
        .addColumn('workspace_id', 'text', (column) => column.notNull())
        .addColumn('day', 'bigint', (column) => column.notNull())
        .addColumn('bytes', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('stored_bytes_key', ['workspace_id', 'day'])
        .$call((table) => (isSqlite ? table.modifyEnd(sql`without rowid`) : table))
        .execute();
    },
  },
  '023_unique_deliveries': {
    worksFrom,
    up: async () => undefined,
    /** No event goes to a webhook twice, whatever a gateway does: an earlier one could list a webhook twice while it changed. */
    indexes: {
      deliveries_of_event: 'on deliveries (event_id, webhook_id)',
      deliveries_by_event: null,
    },
    unique: {
      deliveries_of_event: { table: 'deliveries', key: 'event_id, webhook_id', order: 'created_at, id' },
    },
  },
  '024_account_events': {
    worksFrom,
    /** The only receiver of an event. Without it, test events from before count as events of their accounts. */
    async up(db: Kysely<never>) {
      await db.schema.alterTable('events').addColumn('webhook_id', 'text').execute();
    },
    /** A page of accounts is a range for each; one of a workspace is a range for each type of event. */
    indexes: {
      events_by_account: `on events (account_id, created_at, id) ${shown}`,
      events_by_type: `on events (workspace_id, event, created_at, id) ${shown}`,
    },
  },
  '025_response_headers': {
    worksFrom,
    async up(db: Kysely<never>) {
      await db.schema.alterTable('delivery_attempts').addColumn('response_headers', 'text').execute();
    },
  },
};
