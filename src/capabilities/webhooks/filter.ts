/** The contract's list has no filters: each backend applies them to its list. */
import { z } from 'zod';
import { sourceOfEvents, webhookEvents, webhookSourceNames } from '../../events/sources.ts';
import { nameKey } from '../../kernel/lib/name-key.ts';
import { anyOf, type CursorScope } from '../../kernel/paging.ts';
import { anyValueOf, identifier, searchText } from '../../kernel/validation.ts';
import { hiddenValue } from './headers.ts';
import {
  defaultWebhookOrder,
  type Webhook,
  webhookHealthStates,
  webhookListRequestShape,
  webhookOrders,
} from './shapes.ts';

const filter = {
  sources: anyValueOf(webhookSourceNames),
  events: anyValueOf(webhookEvents),
  is_enabled: z.boolean().optional(),
  health_states: anyValueOf(webhookHealthStates),
  query: searchText().optional(),
  account_id: identifier().optional(),
};

export const webhookFilterShape = z.strictObject(filter);
export const webhookSearchShape = z.strictObject({
  ...webhookListRequestShape.shape,
  ...filter,
  order_by: z.enum(webhookOrders).optional(),
});

/** Every field must fit; an empty list of values fits nothing. No service tells the health, or sorts. */
export type WebhookFilter = z.infer<typeof webhookFilterShape>;
export type WebhookSearch = z.infer<typeof webhookSearchShape>;

/** Beside the key. A cursor belongs to its order. */
export const webhookListScope = (request: WebhookFilter & Pick<WebhookSearch, 'order_by'>): CursorScope => [
  anyOf(request.sources),
  anyOf(request.events),
  request.is_enabled,
  anyOf(request.health_states),
  request.query,
  request.account_id,
  request.order_by ?? defaultWebhookOrder,
];

/** What is shown in part is not searched. */
const urlOf = ({ request_url: url }: Webhook): unknown => (String(url).endsWith(hiddenValue) ? null : url);

const hasText = (text: unknown, part: string): boolean => nameKey(String(text ?? '')).includes(nameKey(part));

export const isFilter = ({ sources, events, is_enabled, query, account_id }: WebhookFilter): boolean =>
  [sources, events, is_enabled, query, account_id].some((each) => each !== undefined);

/** For a service's webhook. @param accountIds empty for all of the workspace */
export function fits(
  { sources, events, is_enabled, query, account_id }: WebhookFilter,
  webhook: Webhook,
  accountIds: readonly string[],
): boolean {
  // Without events, it has all of a source that it does not name: it may be any.
  const hasAll = webhook.type === 'AUTO' && (webhook.events ?? null) === null;
  const subscribed: readonly string[] = Array.isArray(webhook.events) ? webhook.events : [];
  const ofSource = sourceOfEvents(subscribed);
  return (
    (sources === undefined || (hasAll && sources.length > 0) || (ofSource !== null && sources.includes(ofSource))) &&
    (events === undefined || (hasAll && events.length > 0) || events.some((each) => subscribed.includes(each))) &&
    (is_enabled === undefined || webhook.enabled === is_enabled) &&
    (query === undefined || [webhook.name, urlOf(webhook)].some((text) => hasText(text, query))) &&
    (account_id === undefined || accountIds.length === 0 || accountIds.includes(account_id))
  );
}
