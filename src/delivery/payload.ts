/** What is sent to a webhook of an event: its fields under the names that the webhook gives them, encoded. */

import type { DeliveryEvent } from '../events/event.ts';
import { triggerEvent } from '../events/event.ts';
import type { WebhookFormat } from '../webhooks/shapes.ts';

/** What of a webhook shapes its payloads. */
export interface PayloadTarget {
  readonly name: string | null;
  readonly format: WebhookFormat;
  readonly data: readonly { readonly name: string; readonly key: string }[];
}

/** What of an event is told of. */
export type PayloadEvent = Omit<DeliveryEvent, 'id' | 'workspaceId'>;

export const contentTypes: Readonly<Record<WebhookFormat, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

/** The text that is sent, as UTF-8, with the content type of its format. */
export function buildPayload(event: PayloadEvent, target: PayloadTarget): string {
  return encoders[target.format](fieldsOf(event, target));
}

/**
 * The fields by their names. `event` is always there, and first; a field that the event does not have is left out.
 * Sources without keys to choose from, and triggers, send all that there is to say.
 */
export function fieldsOf(event: PayloadEvent, { name, data }: PayloadTarget): [string, unknown][] {
  const values: Record<string, unknown> = {
    ...event.data,
    account_id: event.accountId,
    account_type: event.accountType,
    webhook_name: name,
  };
  const whole = event.source === 'account_status' || event.event === triggerEvent;
  const mapping = whole ? Object.keys(values).map((key) => ({ name: key, key })) : data;
  const mapped = mapping
    .filter((field) => field.name !== 'event' && Object.hasOwn(values, field.key) && values[field.key] !== undefined)
    .map((field): [string, unknown] => [field.name, values[field.key]]);
  return [['event', event.event], ...mapped];
}

const encoders: Readonly<Record<WebhookFormat, (fields: [string, unknown][]) => string>> = {
  // Own properties even for names such as __proto__, and the last of equal names: as fromEntries makes them.
  json: (fields) => JSON.stringify(Object.fromEntries(fields)),
  form: (fields) => new URLSearchParams(fields.map(([name, value]) => [name, formText(value)])).toString(),
};

/** Scalars as text, null as no text, objects and lists as JSON text. */
function formText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
