/** Fills a database of the benchmark with as many rows as a workspace has in use. */
import { randomBytes } from 'node:crypto';
import type { Insertable } from 'kysely';
import { connectAccount } from '../../../src/auth/account-repository.ts';
import { newJobId } from '../../../src/capabilities/jobs/repository.ts';
import { newId, newTimedId } from '../../../src/kernel/ids.ts';
import { sandboxToken } from '../../../src/providers/sandbox/networks.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import type { Tables } from '../../../src/store/schema.ts';
import type { TestDatabase } from '../../support/databases.ts';
import { analyze } from '../../support/growth/fill.ts';
import { storeWebhook } from '../../support/webhooks.ts';

const counts = { webhooks: 200, jobs: 500, deliveries: 5_000 } as const;

/** Rows of a statement: SQLite takes 32,766 parameters. */
const rowsOfStatement = 500;

/** What the operations name. */
export interface Filled {
  readonly workspaceId: string;
  readonly accountId: string;
  /** Has all deliveries. */
  readonly webhookId: string;
}

/** @param place has the schema, and a workspace */
export async function fill({ location }: TestDatabase): Promise<Filled> {
  const database = await openDatabase(location);
  try {
    const { id: workspaceId, name: workspace } = await database
      .selectFrom('workspaces')
      .select(['id', 'name'])
      .executeTakeFirstOrThrow();
    const now = new Date();
    const account = { workspace, name: 'bench', type: 'PNET', token: sandboxToken('ok') } as const;
    const accountId = await connectAccount(database, account, { vault: null, now, randomBytes });
    const webhookId = await insertWebhooks(database, workspaceId);
    const filled = { workspaceId, accountId, webhookId };
    await insertAll(database, 'jobs', counts.jobs, (n) => jobOf(filled, n));
    const events = Array.from({ length: counts.deliveries }, (_, n) => eventOf(filled, n));
    await insertAll(database, 'events', events.length, (n) => events[n] as (typeof events)[number]);
    await insertAll(database, 'deliveries', events.length, (n) => deliveryOf(filled, n, events[n]?.id ?? ''));
    await analyze({ database, kind: location.kind });
    return filled;
  } finally {
    await database.destroy();
  }
}

const minutesAgo = (n: number): number => Date.now() - n * 60_000;

/** @returns the id of one of them */
async function insertWebhooks(database: Database, workspaceId: string): Promise<string> {
  const ids = Array.from({ length: counts.webhooks }, () => newId(randomBytes));
  for (const [n, id] of ids.entries()) {
    await storeWebhook(database, {
      id,
      workspace_id: workspaceId,
      type: 'AUTO',
      source: 'messaging',
      name: `Messages for team ${n}`,
      enabled: n % 10 === 0 ? 0 : 1,
      request_url: `https://hooks.example/teams/${n}/messages`,
      format: 'json',
      account_ids: '[]',
      headers: '[]',
      data: JSON.stringify([{ name: 'text', key: 'message' }]),
      events: JSON.stringify(['message_received', 'message_read', 'message_edited']),
      trigger: null,
      created_at: minutesAgo(n),
    });
  }
  return ids[0] ?? '';
}

/** With a description of a kilobyte, which no list shows. */
const jobOf = ({ workspaceId, accountId }: Filled, n: number): Insertable<Tables['jobs']> => ({
  id: newJobId(randomBytes),
  workspace_id: workspaceId,
  account_id: accountId,
  state: ['draft', 'active', 'closed'][n % 3] ?? 'draft',
  fields: JSON.stringify({
    job_title: { text: `Engineer of team ${n}` },
    company: { id: '900043' },
    workplace: 'REMOTE',
    location: '103035651',
    employment_status: 'FULL_TIME',
    description: '<p>What you will do.</p>'.repeat(42),
    salary: { currency: 'EUR', min: 50_000 + n, max: 70_000 + n, pay_frequency: 'YEARLY' },
  }),
  checkpoint: null,
  claimed_until: 0,
  claimed_by: null,
  publication: null,
  created_at: minutesAgo(n),
  updated_at: minutesAgo(n),
});

const eventOf = ({ workspaceId, accountId }: Filled, n: number): Insertable<Tables['events']> & { id: string } => ({
  id: newTimedId(randomBytes, minutesAgo(n)),
  workspace_id: workspaceId,
  account_id: accountId,
  account_type: 'PNET',
  source: 'messaging',
  event: 'message_received',
  data: JSON.stringify({ message: 'x'.repeat(200) }),
  idempotency_key: null,
  fingerprint: '',
  created_at: minutesAgo(n),
});

/** None is pending: a gateway that is measured sends nothing. */
const deliveryOf = (
  { workspaceId, accountId, webhookId }: Filled,
  n: number,
  eventId: string,
): Insertable<Tables['deliveries']> => ({
  id: newTimedId(randomBytes, minutesAgo(n)),
  workspace_id: workspaceId,
  webhook_id: webhookId,
  event_id: eventId,
  account_id: accountId,
  event: 'message_received',
  state: n % 20 === 0 ? 'failed' : 'succeeded',
  attempts: 1,
  attempts_before: 0,
  next_at: 0,
  claim_token: null,
  created_at: minutesAgo(n),
  finished_at: minutesAgo(n) + 200,
});

async function insertAll<Table extends 'jobs' | 'events' | 'deliveries'>(
  database: Database,
  table: Table,
  count: number,
  rowOf: (n: number) => Insertable<Tables[Table]>,
): Promise<void> {
  for (let from = 0; from < count; from += rowsOfStatement) {
    const size = Math.min(rowsOfStatement, count - from);
    await database
      .insertInto<Table>(table)
      .values(Array.from({ length: size }, (_, n) => rowOf(from + n)))
      .execute();
  }
}
