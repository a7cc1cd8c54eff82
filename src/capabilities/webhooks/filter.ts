/** Filters of the list of webhooks. The contract's list has none, so that each backend applies them to what it lists. */
import { z } from 'zod';
import { sourceOfEvents, webhookEvents, webhookSourceNames } from '../../events/sources.ts';
import { anyOf, type CursorScope } from '../../kernel/paging.ts';
import { anyValueOf, identifier } from '../../kernel/validation.ts';
import { type Webhook, webhookListRequestShape } from './shapes.ts';

const filter = {
  source: anyValueOf(webhookSourceNames),
  event: anyValueOf(webhookEvents),
  enabled: z.boolean().optional(),
  account_id: identifier().optional(),
};

export const webhookFilterShape = z.strictObject(filter);
export const webhookSearchShape = z.strictObject({ ...webhookListRequestShape.shape, ...filter });

/** Which webhooks a list has: those that fit every field. A list of values that is empty fits all. */
export type WebhookFilter = z.infer<typeof webhookFilterShape>;
/** A page of such a list. */
export type WebhookSearch = z.infer<typeof webhookSearchShape>;

/** What a cursor of the list is bound to beside the key. */
export const webhookListScope = ({ source, event, enabled, account_id }: WebhookFilter): CursorScope => [
  anyOf(source),
  anyOf(event),
  enabled,
  account_id,
];

/** Whether a filter leaves anything out. */
export const isFilter = ({ source = [], event = [], enabled, account_id }: WebhookFilter): boolean =>
  source.length > 0 || event.length > 0 || enabled !== undefined || account_id !== undefined;

/**
 * Whether a webhook of a service fits a filter.
 * @param accountIds the accounts that it listens to; empty for all of the workspace
 */
export function fits(
  { source = [], event = [], enabled, account_id }: WebhookFilter,
  webhook: Webhook,
  accountIds: readonly string[],
): boolean {
  // Without events, it has all of its source, and does not say which that is: it may be any.
  const hasAll = webhook.type === 'AUTO' && (webhook.events ?? null) === null;
  const events: readonly string[] = Array.isArray(webhook.events) ? webhook.events : [];
  const ofSource = sourceOfEvents(events);
  return (
    (source.length === 0 || hasAll || (ofSource !== null && source.includes(ofSource))) &&
    (event.length === 0 || hasAll || event.some((each) => events.includes(each))) &&
    (enabled === undefined || webhook.enabled === enabled) &&
    (account_id === undefined || accountIds.length === 0 || accountIds.includes(account_id))
  );
}
