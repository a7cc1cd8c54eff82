import type { DeliveryEvent } from './event.ts';
import { type WebhookDataKey, type WebhookSource, webhookSources } from './sources.ts';

export type PayloadEvent = Omit<DeliveryEvent, 'id' | 'workspaceId'>;

/** A payload's field, and the event's key that it is read from. */
export interface DataMapping {
  readonly name: string;
  readonly key: string;
}

export interface PayloadMapping {
  readonly name: string | null;
  readonly data: readonly DataMapping[];
}

/** For a webhook without a choice: every key under its own name. */
export const defaultMapping = (source: WebhookSource): { name: WebhookDataKey; key: WebhookDataKey }[] =>
  webhookSources[source].keys.map((key) => ({ name: key, key }));

/**
 * Pairs of name and value, `event` first, without missing values. A trigger, and a source without a choice, send all
 * they have.
 */
export function payloadFields(event: PayloadEvent, { name, data }: PayloadMapping): [string, unknown][] {
  const values: Record<string, unknown> = {
    ...event.data,
    account_id: event.accountId,
    account_type: event.accountType,
    webhook_name: name,
  };
  const mapping = event.source === null ? 'all' : webhookSources[event.source].mapping;
  const chosen = mapping === 'all' ? Object.keys(values).map((key): DataMapping => ({ name: key, key })) : data;
  const fields = chosen
    .filter((field) => field.name !== 'event' && Object.hasOwn(values, field.key) && values[field.key] !== undefined)
    .map((field): [string, unknown] => [field.name, values[field.key]]);
  return [['event', event.event], ...fields];
}
