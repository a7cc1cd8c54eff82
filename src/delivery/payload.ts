/** What is sent to a webhook of an event: its fields under the names that the webhook gives them, encoded. */

import { type PayloadEvent, payloadFields } from '../events/payload-fields.ts';
import type { WebhookFormat } from '../webhooks/shapes.ts';

/** What of a webhook shapes its payloads. */
export interface PayloadTarget {
  readonly name: string | null;
  readonly format: WebhookFormat;
  readonly data: readonly { readonly name: string; readonly key: string }[];
}

export const contentTypes: Readonly<Record<WebhookFormat, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

/** The text that is sent, as UTF-8, with the content type of its format. */
export function buildPayload(event: PayloadEvent, target: PayloadTarget): string {
  return encoders[target.format](payloadFields(event, target));
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
