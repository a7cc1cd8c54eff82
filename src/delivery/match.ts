/** Which webhooks an event goes to. */

import type { DeliveryEvent } from '../events/event.ts';
import type { WebhookSource } from '../events/sources.ts';

/** What of a webhook decides. */
export interface Listener {
  readonly workspaceId: string;
  readonly source: WebhookSource | null;
  readonly enabled: boolean;
  readonly events: readonly string[];
  /** None: all accounts of the workspace, future ones included. */
  readonly accountIds: readonly string[];
}

/** Deliver it, hold it until someone replays it, or nothing: the webhook does not listen to it. */
export type Match = 'deliver' | 'hold' | null;

export function match(
  { workspaceId, source, event, accountId }: Pick<DeliveryEvent, 'workspaceId' | 'source' | 'event' | 'accountId'>,
  listener: Listener,
): Match {
  if (listener.workspaceId !== workspaceId) return null;
  // A trigger is fired at one webhook by name: it matches none.
  if (source === null || listener.source !== source) return null;
  if (!listener.events.includes(event)) return null;
  const listens = listener.accountIds.length === 0 || (accountId !== null && listener.accountIds.includes(accountId));
  if (!listens) return null;
  return listener.enabled ? 'deliver' : 'hold';
}
