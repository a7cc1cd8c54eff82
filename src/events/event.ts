import { type WebhookSource, webhookSources } from './sources.ts';

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
