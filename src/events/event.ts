/** An event that is delivered to webhooks. */
import { type WebhookSource, webhookSources } from './sources.ts';

/** Something that happened to an account, the firing of a TRIGGER webhook, or a notice. */
export interface DeliveryEvent {
  readonly id: string;
  readonly workspaceId: string;
  /** Null for a trigger that was fired without an account, and for a notice. */
  readonly accountId: string | null;
  readonly accountType: string | null;
  /** Null for a trigger and for a notice. */
  readonly source: WebhookSource | null;
  readonly event: string;
  /** The event's values by the keys of its source (contract, endpoint 4), without {@link ownKeys}. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Keys that the gateway sets: they name the account that the event belongs to, and the webhook that receives it. */
export const ownKeys: readonly string[] = ['account_id', 'account_type', 'webhook_name'];

/**
 * The keys that an emitter may set in the data of an event: those of its source without {@link ownKeys}. A source
 * without keys to choose from has only the time.
 */
export function emittableKeys(source: WebhookSource): readonly string[] {
  const { mapping, keys } = webhookSources[source];
  return mapping === 'all' ? ['timestamp'] : keys.filter((key) => !ownKeys.includes(key));
}

/** The event of a TRIGGER webhook that was fired: it has no source and goes to that webhook only. */
export const triggerEvent = 'trigger';

/** A notice that a webhook was disabled: it has no source and goes to the webhooks that asked for notices. */
export const disabledEvent = 'webhook_disabled';
