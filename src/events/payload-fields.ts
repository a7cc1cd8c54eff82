/** Which fields of an event a payload has, and under which names. */
import type { DeliveryEvent } from './event.ts';
import { type WebhookDataKey, type WebhookSource, webhookSources } from './sources.ts';

/** The parts of an event that a payload shows. */
export type PayloadEvent = Omit<DeliveryEvent, 'id' | 'workspaceId'>;

/** A field of the payload, and the key of the event that its value is read from. */
export interface DataMapping {
  readonly name: string;
  readonly key: string;
}

/** The parts of a webhook that choose its payload's fields. */
export interface PayloadMapping {
  readonly name: string | null;
  readonly data: readonly DataMapping[];
}

/** The mapping of a webhook that chooses none: every key of the source under its own name. */
export const defaultMapping = (source: WebhookSource): { name: WebhookDataKey; key: WebhookDataKey }[] =>
  webhookSources[source].keys.map((key) => ({ name: key, key }));

/**
 * The payload of an event for a webhook, as pairs of name and value. `event` always comes first. Keys that the event has
 * no value for are left out. A trigger, and a source that offers no choice, send everything that they have.
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
