/**
 * The demo workspace of a first start, all on the sandbox networks: accounts in every state, a draft for every
 * scenario, and webhooks, three of them with the deliveries of a week. Fixed ids let examples name them.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type AccountType, accountStatuses, accountTypes } from '../auth/account.ts';
import { insertAccounts, type StoredAccount } from '../auth/account-repository.ts';
import { createKey } from '../auth/api-keys.ts';
import { maxWrongInputs, writeCheckpoint } from '../capabilities/jobs/checkpoint.ts';
import type { JobState } from '../capabilities/jobs/shapes.ts';
import { jobStates } from '../capabilities/jobs/vocabulary.ts';
import { newDestination, type SecretContext } from '../capabilities/webhooks/destinations.ts';
import type { triggerContexts, WebhookTrigger } from '../capabilities/webhooks/shapes.ts';
import { defaultMapping } from '../events/event.ts';
import { type WebhookSource, webhookSourceNames, webhookSources } from '../events/sources.ts';
import { scopeNames } from '../kernel/caller.ts';
import { entriesOf, keysOf } from '../kernel/lib/objects.ts';
import { day, hour } from '../kernel/lib/time-units.ts';
import {
  companyJobId,
  type JobScenarioName,
  jobScenarioNames,
  jobScenarios,
  sandboxSessionNames,
  sandboxToken,
} from '../providers/sandbox/networks.ts';
import { encodeChallenge } from '../providers/sandbox/pnet/checkpoints.ts';
import { type ReceiverPath, receiverUrl } from '../providers/sandbox/receiver.ts';
import type { Database } from '../store/database.ts';
import type { JobTable, WebhookTable } from '../store/schema.ts';
import { insertDemoDeliveries } from './demo-deliveries.ts';

/** 22 characters of base64url with a valid last one. */
export const demoId = (name: string): string => `${name.replaceAll('_', '-').slice(0, 21).padEnd(21, '-')}A`;

const workspaceId = demoId('demo');

/** Creates the demo workspace, by one of several processes. @returns its key's file; null if a workspace existed */
export async function ensureDemo(
  database: Database,
  {
    file,
    now,
    vault,
    randomBytes,
  }: SecretContext & {
    readonly file: string;
    readonly now: Date;
  },
): Promise<string | null> {
  return database.transaction().execute(async (transaction) => {
    const existing = await transaction.selectFrom('workspaces').select('id').limit(1).executeTakeFirst();
    if (existing !== undefined) return null;
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('workspaces')
      .values({ id: workspaceId, name: 'Demo', created_at: now.getTime() })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) return null;

    const base = now.getTime();
    await insertAccounts(transaction, demoAccounts(base));
    await transaction.insertInto('jobs').values(demoJobs(base)).execute();
    const receivers = demoReceivers(base);
    const webhooks = [...demoWebhooks(base), ...receivers];
    const destinations = webhooks.map(({ id }) => newDestination({ vault, randomBytes }, id));
    await transaction.insertInto('webhooks').values(webhooks).execute();
    await transaction.insertInto('webhook_destinations').values(destinations).execute();
    await insertDemoDeliveries(transaction, {
      account: { id: demoId('pnet'), type: 'PNET' },
      webhooks: receivers,
      now: base,
      randomBytes,
    });
    const { key } = await createKey(
      transaction,
      { workspaceId, name: 'Demo key', scopes: scopeNames, accountIds: null, expiresAt: null },
      { now, randomBytes },
    );
    // Before the commit: without a known key the workspace would be useless.
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    return file;
  });
}

export const failingAccounts = [
  ...keysOf(accountStatuses)
    .filter((status) => status !== 'OK')
    .map((status) => ({
      id: `status-${status.toLowerCase()}`,
      name: `Status ${status}`,
      status,
      session: 'ok' as const,
    })),
  ...sandboxSessionNames
    .filter((session) => session !== 'ok')
    .map((session) => ({ id: session, name: `Session ${session}`, status: 'OK' as const, session })),
].map((account, index) => ({ ...account, id: demoId(account.id), draftId: String(3001 + index) }));

/** Types with a simulated network first, as lists start with the oldest accounts. */
const demoAccountTypes: ReadonlySet<AccountType> = new Set(['PNET', 'PHOTONET', ...accountTypes]);

function demoAccounts(base: number): StoredAccount[] {
  const accounts = [
    ...[...demoAccountTypes].map((type) => ({
      id: demoId(type.toLowerCase()),
      name: `Demo ${type}`,
      type,
      status: 'OK' as const,
      session: sandboxToken('ok'),
    })),
    ...failingAccounts.map(({ id, name, status, session }) => ({
      ...{ id, name, status },
      type: 'PNET' as const,
      session: sandboxToken(session),
    })),
  ];
  return accounts.map((row, index) => ({ ...row, workspace_id: workspaceId, created_at: base + index }));
}

/** A checkpoint without expiry, so that its draft can be tried at any time. */
const openForEver = writeCheckpoint({
  type: 'EMAIL_VERIFICATION',
  challenge: encodeChallenge({ scenario: 'email', remaining: [] }),
  attempts_left: maxWrongInputs,
  expires_at: Date.UTC(9999, 11, 31),
});

/** One of each variant, to read and edit. */
const demoQuestions = [
  {
    answer_type: 'numeric',
    question: 'How many years have you worked with TypeScript?',
    min_expectation: 3,
    must_match: true,
    position: 1,
  },
  {
    answer_type: 'multiple_choices',
    question: 'Where do you want to work?',
    choices: ['At home', 'In the office', 'Both'],
    expected_choices: ['Both'],
    must_match: false,
    position: 2,
  },
];

/** A draft per scenario from 1001, postings in other states from 2001, open checkpoints from 3001. */
function demoJobs(base: number): JobTable[] {
  const job = (id: number, state: JobState, scenario: JobScenarioName) => ({
    id: String(id),
    account_id: demoId('pnet'),
    state,
    checkpoint: null as string | null,
    fields: JSON.stringify({
      job_title: { text: `Software Engineer (${state === 'draft' ? scenario : state})` },
      company: { text: 'Example Works' },
      workplace: 'HYBRID',
      employment_status: 'FULL_TIME',
      description: `<p>${jobScenarios[scenario].description}</p>`,
      company_job_id: companyJobId(scenario),
      ...(state === 'active' && { screening_questions: demoQuestions }),
    }),
  });
  const jobs = [
    ...jobStates.filter((state) => state !== 'draft').map((state, index) => job(2001 + index, state, 'publish')),
    ...jobScenarioNames.map((scenario, index) => job(1001 + index, 'draft', scenario)),
    ...failingAccounts.map(({ id, draftId }) => ({
      ...job(Number(draftId), 'draft', 'email'),
      account_id: id,
      checkpoint: openForEver,
    })),
  ];
  // Lists start with the newest: what works is met before what fails.
  return jobs.reverse().map((row, index) => ({
    ...row,
    workspace_id: workspaceId,
    claimed_until: 0,
    claimed_by: null,
    publication: null,
    created_at: base + index,
    updated_at: base + index,
  }));
}

const demoWebhook = (
  id: string,
  name: string,
  source: WebhookSource | null,
  trigger: WebhookTrigger | null,
): Omit<WebhookTable, 'created_at'> => ({
  id: demoId(`hook-${id}`),
  workspace_id: workspaceId,
  type: trigger === null ? 'AUTO' : 'TRIGGER',
  source,
  name,
  enabled: 0,
  request_url: `https://hooks.example/${id}`,
  format: 'json',
  account_ids: '[]',
  headers: '[]',
  data: JSON.stringify(source === null ? [] : defaultMapping(source)),
  events: JSON.stringify(source === null ? [] : webhookSources[source].events),
  trigger: trigger === null ? null : JSON.stringify(trigger),
});

/** One per source and trigger context; disabled, as nothing listens at their URLs. */
function demoWebhooks(base: number): WebhookTable[] {
  const trigger = (context: (typeof triggerContexts)[number], icon: WebhookTrigger['icon']) =>
    demoWebhook(`trigger-${context.toLowerCase()}`, `Send ${context.toLowerCase()}`, null, {
      icon,
      name: `Send ${context.toLowerCase()}`,
      context,
    });
  const webhooks = [
    ...webhookSourceNames.map((source) => demoWebhook(source, `Demo ${source}`, source, null)),
    trigger('MESSAGE', 'WebhookIcon'),
    trigger('CHAT', 'ChatAppIcon'),
  ];
  return webhooks.map((row, index) => ({ ...row, created_at: base + index }));
}

/** The age of each. Its first deliveries have failed after three days; a webhook that fails for five days is disabled. */
const receiverAges = { ok: 7 * day, flaky: 7 * day, failing: 84 * hour } as const satisfies Partial<
  Record<ReceiverPath, number>
>;

/** Webhooks of the receiver of the sandbox, so that messages are received, retried and in vain. */
const demoReceivers = (base: number): WebhookTable[] =>
  entriesOf(receiverAges).map(([path, age]) => ({
    ...demoWebhook(`receiver-${path}`, `Demo receiver ${path}`, 'messaging', null),
    enabled: 1,
    request_url: receiverUrl(path),
    created_at: base - age,
  }));
