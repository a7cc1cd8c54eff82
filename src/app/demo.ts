/**
 * The demo workspace that the first start on an empty database creates: connected accounts in every state, a draft for
 * every scenario, and webhooks, all on the sandbox networks. The ids are fixed, so that examples can name them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountStatus, type AccountType, accountStatuses, accountTypes } from '../auth/account.ts';
import { insertAccounts, type StoredAccount } from '../auth/account-repository.ts';
import { createKey } from '../auth/api-keys.ts';
import { maxAttempts, writeCheckpoint } from '../capabilities/jobs/checkpoint.ts';
import { type JobState, jobStates } from '../capabilities/jobs/shapes.ts';
import type { triggerContexts, WebhookTrigger } from '../capabilities/webhooks/shapes.ts';
import { type WebhookSource, webhookSourceNames, webhookSources } from '../events/sources.ts';
import { scopeNames } from '../kernel/caller.ts';
import type { RandomBytes } from '../kernel/ids.ts';
import { keysOf } from '../kernel/lib/keys-of.ts';
import { demoKeyFile } from '../providers/sandbox/demo-key.ts';
import {
  companyJobId,
  type JobScenarioName,
  jobScenarioNames,
  jobScenarios,
  type SandboxSessionName,
  sandboxSessionNames,
  sandboxToken,
} from '../providers/sandbox/networks.ts';
import { encodeChallenge } from '../providers/sandbox/pnet/checkpoints.ts';
import type { Database } from '../store/database.ts';
import type { JobTable, WebhookTable } from '../store/schema.ts';

/** A readable id: 22 characters of base64url, ending in one that an id can end in. */
export const demoId = (name: string): string => `${name.replaceAll('_', '-').slice(0, 21).padEnd(21, '-')}A`;

const workspaceId = demoId('demo');

/**
 * Creates the demo workspace in a database without workspaces, and stores a key for it in the file `demo-key` of
 * `directory`. If several processes start at once, one of them creates it.
 * @returns the path of the file, or null if a workspace existed already
 */
export async function ensureDemo(
  database: Database,
  {
    directory,
    now,
    randomBytes,
  }: { readonly directory: string; readonly now: Date; readonly randomBytes: RandomBytes },
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
    await transaction.insertInto('webhooks').values(demoWebhooks(base)).execute();
    const { key } = await createKey(
      transaction,
      { workspaceId, name: 'Demo key', scopes: scopeNames, accountIds: null, expiresAt: null },
      { now, randomBytes },
    );
    // Before the commit: a demo workspace without a known key would be useless.
    const file = join(directory, demoKeyFile);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    return file;
  });
}

/** An account whose every call fails, and the draft that it owns. */
interface FailingAccount {
  readonly id: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly session: SandboxSessionName;
  readonly draftId: string;
}

/** One account in each failing status, and one for each failing session. Their drafts are numbered from 3001. */
export const failingAccounts: readonly FailingAccount[] = [
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

/** The types with a simulated network come first, because lists of accounts start with the oldest. */
const demoAccountTypes: ReadonlySet<AccountType> = new Set(['PNET', 'PHOTONET', ...accountTypes]);

/** A working account of each type, and then the accounts that fail. */
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

/** A checkpoint that waits for its input and does not expire, so that its draft can be tried at any time. */
const openForEver = writeCheckpoint({
  type: 'EMAIL_VERIFICATION',
  challenge: encodeChallenge({ scenario: 'email', remaining: [] }),
  attempts_left: maxAttempts,
  expires_at: Date.UTC(9999, 11, 31),
});

/**
 * A draft for each scenario, numbered from 1001 in the order of the table, a posting in each other state, from 2001, and a
 * draft with an open checkpoint for each account that fails, from 3001.
 */
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
    }),
  });
  const jobs = [
    // The oldest, because lists start with the newest.
    ...failingAccounts.map(({ id, draftId }) => ({
      ...job(Number(draftId), 'draft', 'email'),
      account_id: id,
      checkpoint: openForEver,
    })),
    ...jobScenarioNames.map((scenario, index) => job(1001 + index, 'draft', scenario)),
    ...jobStates.filter((state) => state !== 'draft').map((state, index) => job(2001 + index, state, 'publish')),
  ];
  return jobs.map((row, index) => ({
    ...row,
    workspace_id: workspaceId,
    claimed_until: 0,
    claimed_by: null,
    publication: null,
    created_at: base + index,
    updated_at: base + index,
  }));
}

/** A webhook for each source and for each trigger context. They are disabled, because nothing listens at their URLs. */
function demoWebhooks(base: number): WebhookTable[] {
  const webhook = (id: string, name: string, source: WebhookSource | null, trigger: WebhookTrigger | null) => ({
    id: demoId(`hook-${id}`),
    type: trigger === null ? 'AUTO' : 'TRIGGER',
    source,
    name,
    enabled: 0,
    request_url: `https://hooks.example/${id}`,
    format: 'json',
    account_ids: '[]',
    headers: '[]',
    data: JSON.stringify(source === null ? [] : webhookSources[source].keys.map((key) => ({ name: key, key }))),
    events: JSON.stringify(source === null ? [] : webhookSources[source].events),
    trigger: trigger === null ? null : JSON.stringify(trigger),
  });
  const trigger = (context: (typeof triggerContexts)[number], icon: WebhookTrigger['icon']) =>
    webhook(`trigger-${context.toLowerCase()}`, `Send ${context.toLowerCase()}`, null, {
      icon,
      name: `Send ${context.toLowerCase()}`,
      context,
    });
  const webhooks = [
    ...webhookSourceNames.map((source) => webhook(source, `Demo ${source}`, source, null)),
    trigger('MESSAGE', 'WebhookIcon'),
    trigger('CHAT', 'ChatAppIcon'),
  ];
  return webhooks.map((row, index) => ({ ...row, workspace_id: workspaceId, created_at: base + index }));
}
