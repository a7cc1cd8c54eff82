import type { WebhookFormat } from '../capabilities/webhooks/shapes.ts';
import { type PayloadEvent, payloadFields } from '../events/event.ts';
import { stringify } from '../kernel/lib/json-text.ts';

export interface PayloadTarget {
  readonly name: string | null;
  readonly format: WebhookFormat;
  readonly data: readonly { readonly name: string; readonly key: string }[];
}

export const contentTypes: Readonly<Record<WebhookFormat, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

/** For one event and webhook. */
export const maxPayloadBytes = 16 * 1024 * 1024;

/** @throws Error for a payload that could exceed {@link maxPayloadBytes} */
export function buildPayload(event: PayloadEvent, target: PayloadTarget): string {
  const fields = payloadFields(event, target);
  requireBuildable(fields, target);
  return encoders[target.format](fields);
}

/** Bytes of a form per byte of JSON, at most. */
const bytesOfEscaped = 3;

/** A webhook can name a value any number of times, for payloads many times as large as the events. */
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
  // As fromEntries: own properties even for __proto__, and the last of equal names.
  json: (fields) => stringify(Object.fromEntries(fields)),
  form: (fields) => new URLSearchParams(fields.map(([name, value]) => [name, formText(value)])).toString(),
};

/** Null is no text; objects and lists are JSON. */
function formText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? stringify(value) : String(value);
}
