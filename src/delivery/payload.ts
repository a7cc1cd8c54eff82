/** What is sent to a webhook of an event: its fields under the names that the webhook gives them, encoded. */

import type { WebhookFormat } from '../capabilities/webhooks/shapes.ts';
import { type PayloadEvent, payloadFields } from '../events/payload-fields.ts';

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

/** The largest payload that is built. */
export const maxPayloadBytes = 16 * 1024 * 1024;

/**
 * The text that is sent, as UTF-8, with the content type of its format.
 * @throws Error when the payload could be larger than {@link maxPayloadBytes}
 */
export function buildPayload(event: PayloadEvent, target: PayloadTarget): string {
  const fields = payloadFields(event, target);
  requireBuildable(fields, target);
  return encoders[target.format](fields);
}

/** How many bytes of a form a byte of JSON can become. */
const bytesOfEscaped = 3;

/** A webhook can give a value any number of names, so that its payloads are many times as large as the events. */
function requireBuildable(fields: readonly [string, unknown][], { format, data }: PayloadTarget): void {
  if (new Set(data.map(({ key }) => key)).size === data.length) return;
  const sizes = new Map<unknown, number>();
  let bytes = 0;
  for (const [, value] of fields) {
    const size = sizes.get(value) ?? Buffer.byteLength(JSON.stringify(value));
    sizes.set(value, size);
    bytes += format === 'form' ? bytesOfEscaped * size : size;
  }
  if (bytes > maxPayloadBytes) throw new Error(`The payload would have up to ${bytes} bytes`);
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
