/** A database with rows of every kind, and root fields over them for generated operations. */
import { randomBytes } from 'node:crypto';
import { deliveryListScope } from '../../src/capabilities/deliveries/shapes.ts';
import { contentFields } from '../../src/capabilities/jobs/graphql/posting.ts';
import { newJobId } from '../../src/capabilities/jobs/repository.ts';
import { jobListScope } from '../../src/capabilities/jobs/shapes.ts';
import { webhookListScope } from '../../src/capabilities/webhooks/filter.ts';
import { disabledEvent, triggerEvent } from '../../src/events/event.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { newId, newTimedId } from '../../src/kernel/ids.ts';
import type { CursorScope } from '../../src/kernel/paging.ts';
import { nothingSpent } from '../../src/kernel/request-context.ts';
import type { Gateway, TestWorkspace } from './gateway.ts';
import type { ArgumentWriter, RootField } from './list-operations.ts';
import { testCursors } from './lists-reader.ts';
import type { Random } from './random.ts';
import { storeWebhook } from './webhooks.ts';

export interface EmbeddedLists {
  readonly roots: readonly (readonly [string, RootField])[];
  readonly accounts: readonly string[];
}

const odd = 'é "quoted" \\ \u2028 👋 </script>\n';

const contents = [
  {},
  {
    job_title: { text: odd },
    company: { id: '900043' },
    workplace: 'REMOTE',
    location: '103035651',
    employment_status: 'FULL_TIME',
    description: '<p>é</p>',
    salary: { currency: 'EUR', min: 0.5, max: 1e21, pay_frequency: 'YEARLY' },
    apply_method: { type: 'external', url: 'https://jobs.example/é' },
    recruiter: { project_id: '7', functions: ['1', '2'], skills: [], seniority: 'DIRECTOR' },
  },
  {
    job_title: { id: '12' },
    company: { text: 'Ada & Co' },
    workplace: 'ON_SITE',
    tracking_pixel_url: 'https://pixel.example',
    company_job_id: 'our-7',
    apply_method: { type: 'pnet', notification_email: 'a@b.example', resume_required: true },
    additional_compensation: { currency: 'USD', min: 1, max: 2, pay_frequency: 'HOURLY' },
    screening_questions: [{ answer_type: 'numeric', question: 'How many?', min_expectation: 2 }],
    send_rejection_notification: false,
  },
];

/** Of a workspace of its own. */
export async function fillEmbeddedLists({ app, clock }: Gateway, workspace: TestWorkspace): Promise<EmbeddedLists> {
  const { database } = app;
  const { workspaceId } = workspace;
  const accounts = [
    await workspace.account(),
    await workspace.account(),
    await workspace.account({ type: 'PHOTONET' }),
  ];
  const accountOf = (n: number) => accounts[n % accounts.length] ?? '';
  const at = (n: number) => clock.now.getTime() - n * 61_001;
  const webhooks = Array.from({ length: 12 }, () => newId(randomBytes));
  for (const [n, id] of webhooks.entries()) {
    const isTrigger = n % 4 === 3;
    await storeWebhook(database, {
      id,
      workspace_id: workspaceId,
      type: isTrigger ? 'TRIGGER' : 'AUTO',
      source: isTrigger ? null : 'messaging',
      name: n % 3 === 0 ? null : `${odd}${n}`,
      enabled: n % 5 === 0 ? 0 : 1,
      request_url: `https://hooks.example/${n}?q=é`,
      format: n % 2 === 0 ? 'json' : 'form',
      account_ids: JSON.stringify(n % 3 === 1 ? [accountOf(n)] : []),
      headers: '[]',
      data: '[]',
      // One of them is of a later version.
      events: JSON.stringify(isTrigger ? [] : ['message_received', n === 2 ? 'message_folded' : 'message_read']),
      trigger: isTrigger ? JSON.stringify({ icon: 'CableIcon', name: odd, context: 'CHAT' }) : null,
      created_at: at(n),
    });
  }
  const jobs = Array.from({ length: 14 }, (_, n) => ({
    id: newJobId(randomBytes),
    workspace_id: workspaceId,
    account_id: accountOf(n % 2),
    state: ['draft', 'active', 'closed', 'review'][n % 4] ?? 'draft',
    fields: JSON.stringify(contents[n % contents.length]),
    checkpoint:
      n % 4 === 0 ? JSON.stringify({ type: 'sms', challenge: 'c', attempts_left: 3, expires_at: at(-n - 1) }) : null,
    claimed_until: 0,
    claimed_by: null,
    publication: null,
    created_at: at(n),
    updated_at: at(n - 1),
  }));
  await database.insertInto('jobs').values(jobs).execute();
  const events = Array.from({ length: 40 }, (_, n) => ({
    id: newTimedId(randomBytes, at(n)),
    workspace_id: workspaceId,
    account_id: n % 7 === 0 ? null : accountOf(n),
    account_type: n % 7 === 0 ? null : ('PNET' as const),
    source: 'messaging' as const,
    event: ['message_received', triggerEvent, disabledEvent, 'message_folded'][n % 4] ?? '',
    data: '{}',
    idempotency_key: null,
    fingerprint: '',
    created_at: at(n),
  }));
  await database.insertInto('events').values(events).execute();
  const deliveries = events.map(({ id, account_id, event }, n) => ({
    id: newTimedId(randomBytes, at(n)),
    workspace_id: workspaceId,
    webhook_id: webhooks[n % 5] ?? '',
    event_id: id,
    account_id,
    event,
    state: ['succeeded', 'failed', 'held', 'pending'][n % 4] ?? 'failed',
    attempts: n % 9,
    attempts_before: 0,
    // Nothing is due while the test runs.
    next_at: at(-1_000_000),
    claim_token: null,
    created_at: at(n),
    finished_at: n % 4 < 2 ? at(n) + 200 : null,
  }));
  await database.insertInto('deliveries').values(deliveries).execute();

  const place = placesOf(workspaceId);
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  return {
    accounts,
    roots: [
      ['posts', postsRoot(accounts, place)],
      ['webhooks', webhooksRoot(accounts, place)],
      ['jobPostings', jobsRoot(accounts, place)],
      ['deliveries', deliveriesRoot(accounts, webhooks, place)],
      ['accounts', accountsRoot()],
      ['account', itemRoot('accountId', accounts)],
      ['webhook', itemRoot('webhookId', webhooks)],
      ['jobPosting', itemRoot('jobId', idsOf(jobs), contentFields)],
      ['delivery', itemRoot('deliveryId', idsOf(deliveries))],
    ],
  };
}

/** Fields of a webhook that a list reads by themselves. */
const largeParts: ReadonlySet<string> = new Set(['accounts', 'headers', 'data']);

const some = (random: Random, words: readonly string[]): string[] => (random.chance(0.15) ? [random.pick(words)] : []);

/** Of lists that have no network. A cursor is good for a list without filters. */
function listArguments({ random, first, value }: ArgumentWriter, after: string, filters: readonly string[]): string[] {
  if (random.chance(0.25)) return [...first(), `after: ${value('after', 'String', after)}`];
  return [...first(), ...some(random, filters)];
}

const postsRoot = (accounts: readonly string[], placeIn: Place): RootField => ({
  arguments({ random, value, first }) {
    const account = random.pick(accounts.slice(0, 2));
    const identifier = random.pick(['ACoSandbox3', 'ACoSandbox250', 'ADoNobody']);
    return [
      `accountId: ${value('account', 'ID', account)}`,
      `identifier: ${value('of', 'String', identifier)}`,
      ...first(),
      ...(random.chance(0.2)
        ? [`after: ${JSON.stringify(placeIn(random, ['posts', account, identifier, false]))}`]
        : []),
    ];
  },
});

const accountsRoot = (): RootField => ({
  left: largeParts,
  arguments: ({ random, first }) => [
    ...first(),
    ...some(random, ['types: PNET', 'statuses: OK', 'statuses: CREDENTIALS']),
  ],
});

const webhooksRoot = (accounts: readonly string[], placeIn: Place): RootField => ({
  left: largeParts,
  arguments: (writer) =>
    listArguments(writer, placeIn(writer.random, ['webhooks', keyId, ...webhookListScope({})]), [
      'sources: MESSAGING',
      'events: [MESSAGE_RECEIVED]',
      'isEnabled: true',
      'query: "é"',
      'orderBy: NAME_DESC',
      `accountId: "${accounts[1]}"`,
      'sources: null',
    ]),
});

const jobsRoot = (accounts: readonly string[], placeIn: Place): RootField => ({
  left: largeParts,
  arguments: (writer) =>
    listArguments(writer, placeIn(writer.random, ['jobPostings', keyId, ...jobListScope({})]), [
      'states: DRAFT',
      'states: [ACTIVE, CLOSED]',
      'query: "é"',
      'orderBy: UPDATED_AT_ASC',
      `accountId: "${accounts[1]}"`,
    ]),
});

const deliveriesRoot = (accounts: readonly string[], webhooks: readonly string[], placeIn: Place): RootField => ({
  left: largeParts,
  arguments: (writer) =>
    listArguments(writer, placeIn(writer.random, ['deliveries', ...deliveryListScope({})]), [
      'states: HELD',
      'states: [PENDING, FAILED]',
      'events: MESSAGE_RECEIVED',
      'orderBy: CREATED_AT_ASC',
      'since: "2026-11-20T11:50:00Z"',
      'until: "2026-11-20T11:50:00Z"',
      `accountId: "${accounts[1]}"`,
      `webhookId: "${webhooks[2]}"`,
    ]),
});

const itemRoot = (name: string, ids: readonly string[], left: ReadonlySet<string> = new Set()): RootField => ({
  left: new Set([...left, ...largeParts]),
  arguments: ({ random, value }) => [
    `${name}: ${value(name, 'ID', random.chance(0.1) ? 'AAAAAAAAAAAAAAAAAAAAAA' : random.pick(ids))}`,
  ],
});

const keyId = 'key';

/** Writes a cursor of some items behind the start of a list. */
type Place = (random: Random, list: CursorScope) => string;

const placesOf =
  (workspaceId: string): Place =>
  (random, list) =>
    testCursors.seal([workspaceId, ...list], [null, random.pick([0, 1, 2, 5])]);

/** Who reads the lists of a workspace. */
export const callerOf = (workspaceId: string, given: Partial<Caller> = {}): Caller => ({
  keyId,
  keyName: 'key',
  workspaceId,
  workspaceName: 'workspace',
  scopes: new Set(['posts:read', 'webhooks:read', 'webhooks:write', 'jobs:read', 'accounts:read']),
  accountIds: null,
  expiresAt: null,
  ...given,
});

/** Of one execution. */
export const contextFor = (caller: Caller) => ({
  caller,
  requestId: 'request',
  spent: nothingSpent(),
  signal: new AbortController().signal,
});
