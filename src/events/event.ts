import { type WebhookDataKey, type WebhookSource, webhookSources } from './sources.ts';

/** An account's event, the firing of a TRIGGER webhook, or a notice. */
export interface DeliveryEvent {
  readonly id: string;
  readonly workspaceId: string;
  /** Null for a trigger fired without an account, and for a notice. */
  readonly accountId: string | null;
  readonly accountType: string | null;
  /** Null for a trigger and for a notice. */
  readonly source: WebhookSource | null;
  readonly event: string;
  /** By the keys of its source (contract, endpoint 4), without {@link ownKeys}. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Set by the gateway. */
export const ownKeys: readonly string[] = ['account_id', 'account_type', 'webhook_name'];

/** The keys of a source without {@link ownKeys}. A source without a choice of keys has only the time. */
export function emittableKeys(source: WebhookSource): readonly string[] {
  const { mapping, keys } = webhookSources[source];
  return mapping === 'all' ? ['timestamp'] : keys.filter((key) => !ownKeys.includes(key));
}

/** A fired TRIGGER webhook's: without a source, for that webhook only. */
export const triggerEvent = 'trigger';

/** A disabled webhook's notice: without a source, for webhooks that asked for notices. */
export const disabledEvent = 'webhook_disabled';

export type PayloadEvent = Omit<DeliveryEvent, 'id' | 'workspaceId'>;

/** A payload's field, and the event's key that it is read from. */
interface DataMapping {
  readonly name: string;
  readonly key: string;
}

interface PayloadMapping {
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
