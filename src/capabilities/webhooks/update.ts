import type { Transaction } from 'kysely';
import { defaultMapping } from '../../events/event.ts';
import { type WebhookSource, webhookSources } from '../../events/sources.ts';
import { type Issue, ServiceError } from '../../kernel/errors.ts';
import { invalidParameters } from '../../kernel/issues.ts';
import { lockDestinations, lockWorkspace } from '../../store/locks.ts';
import type { Notifications } from '../../store/notifications.ts';
import type { NoticeReceiverTable, Tables, WebhookTable } from '../../store/schema.ts';
import { forgetStatistics, storeDisabled, storeEnabled } from './destinations.ts';
import { holdPending, holdStep } from './holds.ts';
import { accountIdsOf, changeChecked, changeWebhook } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import { type RegistryContext, requireAccounts, requireTarget, sealHeaders } from './repository.ts';
import { maxNoticeReceivers, type WebhookUpdate } from './shapes.ts';

type Changes = Partial<WebhookTable>;

export function webhookUpdate({
  database,
  vault,
  isRefused,
  notifications,
  accountRule,
  now,
}: RegistryContext & { readonly notifications: Pick<Notifications, 'transaction'> }): WebhooksPort['update'] {
  return ({ caller }, request) =>
    changeChecked(database, caller, request.webhook_id, async (webhook) => {
      const { webhook_id, request_url, account_ids, headers, receives_notices } = request;
      requireFit(webhook, request);
      if (request_url !== undefined) requireTarget(isRefused, request_url);
      const accountIds = account_ids && [...new Set(account_ids)];
      if (accountIds !== undefined) await requireAccounts({ database, accountRule }, caller, accountIds);
      if (receives_notices === true) requireAllAccounts(accountIds ?? accountIdsOf(webhook));
      // Enabling it every day must not keep a destination that fails for years: an enabled one stays as it is.
      const enabled = request.enabled === true && webhook.enabled === 1 ? undefined : request.enabled;
      const changes = givenChanges({
        enabled: enabled === undefined ? undefined : Number(enabled),
        request_url,
        // An empty text clears it.
        name: request.name === '' ? null : request.name,
        format: request.format,
        account_ids: accountIds && JSON.stringify(accountIds),
        headers: headers && sealHeaders(vault, webhook_id, headers),
        data: request.data === undefined ? undefined : JSON.stringify(request.data ?? wholeMapping(webhook)),
        events: request.events && JSON.stringify(subscribedEvents(webhook, request.events)),
        trigger: request.trigger && JSON.stringify(request.trigger),
      });
      const isChanged = await notifications.transaction(async (transaction) => {
        if (receives_notices === true) await lockWorkspace(transaction, webhook.workspace_id);
        if (enabled !== undefined) await lockDestinations(transaction, [webhook_id]);
        if (!(await changeWebhook(transaction, webhook, changes))) return false;
        if (enabled === true) await storeEnabled(transaction, webhook_id);
        // Also where the gateway has disabled it: from now on, its owner has.
        if (enabled === false) await storeDisabled(transaction, webhook_id, 'caller', now().getTime());
        const { workspace_id } = webhook;
        if (receives_notices === true) await addReceiver(transaction, { workspace_id, webhook_id });
        if (receives_notices === false) await removeReceiver(transaction, webhook_id);
        if (accountIds === undefined) return true;
        if (accountIds.length > 0) await holdPending(transaction, webhook_id, accountIds);
        // They would tell its future managers of the other accounts.
        if (isNarrowed(accountIdsOf(webhook), accountIds)) await forgetStatistics(transaction, webhook);
        return true;
      });
      if (!isChanged) return null;
      // Few deliveries are held before the caller goes on.
      if (accountIds !== undefined || enabled !== undefined) await holdStep(notifications.transaction, webhook_id);
      return { object: 'WebhookUpdated', webhook_id };
    });
}

/** No account in a list stands for all of the workspace. */
const isNarrowed = (before: readonly string[], after: readonly string[]): boolean =>
  after.length > 0 && (before.length === 0 || before.some((id) => !after.includes(id)));

/** Omitted fields stay. */
const givenChanges = (changes: { [Column in keyof Changes]: Changes[Column] | undefined }): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));

/** The contract's reading of an empty list: all events of the source. */
export function subscribedEvents(
  { source }: Pick<WebhookTable, 'source'>,
  events: readonly string[] = [],
): readonly string[] {
  return events.length === 0 ? vocabularyOf(source).events : [...new Set(events)];
}

/** A TRIGGER webhook has neither. */
const vocabularyOf = (source: WebhookSource | null): { events: readonly string[]; keys: readonly string[] } =>
  source === null ? { events: [], keys: [] } : webhookSources[source];

const wholeMapping = ({ source }: Pick<WebhookTable, 'source'>) => (source === null ? [] : defaultMapping(source));

/** @throws ServiceError `invalid_parameters` for what the source of the webhook, or a webhook with a source, does not have */
function requireFit({ source }: WebhookTable, { events, data, trigger }: WebhookUpdate): void {
  const known = vocabularyOf(source);
  const misfit = (path: Issue['path'], message: string): Issue => ({ path, code: 'not_allowed', message });
  const issues = [
    ...(trigger && source !== null ? [misfit(['trigger'], 'is not accepted: only a TRIGGER webhook has one')] : []),
    ...(data && (source === null || webhookSources[source].mapping === 'all')
      ? [misfit(['data'], 'is not accepted: the source of the webhook has no choice of fields')]
      : []),
    ...(events ?? []).flatMap((event, index) =>
      known.events.includes(event) ? [] : misfit(['events', index], 'is not an event of the source'),
    ),
    ...(data ?? []).flatMap(({ key }, index) =>
      known.keys.includes(key) ? [] : misfit(['data', index, 'key'], 'is not a key of the source'),
    ),
  ];
  if (issues.length > 0) throw invalidParameters(issues);
}

/** A notice may be of any webhook of the workspace, and a limited key may manage one of some accounts. */
function requireAllAccounts(accountIds: readonly string[]): void {
  if (accountIds.length === 0) return;
  const message = 'must be false: the webhook does not listen to all accounts of the workspace';
  throw invalidParameters([{ path: ['receives_notices'], code: 'conflicting', message }]);
}

async function removeReceiver(transaction: Transaction<Tables>, webhookId: string): Promise<void> {
  await transaction.deleteFrom('notice_receivers').where('webhook_id', '=', webhookId).execute();
}

/** Adds a receiver to a locked workspace. @throws ServiceError `limit_too_high` for one too many */
async function addReceiver(transaction: Transaction<Tables>, receiver: NoticeReceiverTable): Promise<void> {
  const others = await transaction
    .selectFrom('notice_receivers')
    .select('webhook_id')
    .where('workspace_id', '=', receiver.workspace_id)
    .where('webhook_id', '!=', receiver.webhook_id)
    .execute();
  if (others.length >= maxNoticeReceivers) {
    throw new ServiceError('limit_too_high', {
      detail: `A workspace can have ${maxNoticeReceivers} webhooks that receive notices: turn the notices of one of them off first.`,
    });
  }
  await transaction
    .insertInto('notice_receivers')
    .values(receiver)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
