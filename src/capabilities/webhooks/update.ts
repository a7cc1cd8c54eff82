import { type WebhookSource, webhookSources } from '../../events/sources.ts';
import type { Issue } from '../../kernel/errors.ts';
import { invalidParameters } from '../../kernel/issues.ts';
import type { Notifications } from '../../store/notifications.ts';
import type { WebhookTable } from '../../store/schema.ts';
import { forgetStatistics } from './destinations.ts';
import { holdPending, holdStep } from './holds.ts';
import { accountIdsOf, changeChecked, changeWebhook } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import { type RegistryContext, requireAccounts, requireTarget, sealHeaders } from './repository.ts';
import type { WebhookUpdate } from './shapes.ts';

type Changes = Partial<WebhookTable>;

export function webhookUpdate({
  database,
  vault,
  isRefused,
  notifications,
  accountRule,
}: RegistryContext & { readonly notifications: Pick<Notifications, 'transaction'> }): WebhooksPort['update'] {
  return ({ caller }, request) =>
    changeChecked(database, caller, request.webhook_id, async (webhook) => {
      const { webhook_id, request_url, account_ids, headers } = request;
      requireFit(webhook, request);
      if (request_url !== undefined) requireTarget(isRefused, request_url);
      const accountIds = account_ids && [...new Set(account_ids)];
      if (accountIds !== undefined) await requireAccounts({ database, accountRule }, caller, accountIds);
      const changes = givenChanges({
        request_url,
        name: request.name,
        format: request.format,
        account_ids: accountIds && JSON.stringify(accountIds),
        headers: headers && sealHeaders(vault, webhook_id, headers),
        data: request.data && JSON.stringify(request.data),
        events: request.events && JSON.stringify(subscribedEvents(webhook, request.events)),
      });
      const isChanged = await notifications.transaction(async (transaction) => {
        if (!(await changeWebhook(transaction, webhook, changes))) return false;
        if (accountIds === undefined) return true;
        if (accountIds.length > 0) await holdPending(transaction, webhook_id, accountIds);
        // They would tell its future managers of the other accounts.
        if (isNarrowed(accountIdsOf(webhook), accountIds)) await forgetStatistics(transaction, webhook);
        return true;
      });
      if (!isChanged) return null;
      if (accountIds !== undefined) await holdStep(notifications.transaction, webhook_id);
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

/** A webhook keeps its source. */
function requireFit({ source: own }: WebhookTable, { source, events = [], data = [] }: WebhookUpdate): void {
  const known = vocabularyOf(own);
  const misfit = (path: Issue['path'], message: string): Issue => ({ path, code: 'not_applicable', message });
  const issues = [
    ...(source === undefined || source === own
      ? []
      : [misfit(['source'], `must be ${own ?? 'left out'}: a webhook keeps its source`)]),
    ...events.flatMap((event, index) =>
      known.events.includes(event) ? [] : misfit(['events', index], 'is not an event of the source'),
    ),
    ...data.flatMap(({ key }, index) =>
      known.keys.includes(key) ? [] : misfit(['data', index, 'key'], 'is not a key of the source'),
    ),
  ];
  if (issues.length > 0) throw invalidParameters(issues);
}
