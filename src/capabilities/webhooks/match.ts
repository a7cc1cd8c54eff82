import type { DeliveryEvent } from '../../events/event.ts';
import type { WebhookSource } from '../../events/sources.ts';

export interface Listener {
  readonly workspaceId: string;
  readonly source: WebhookSource | null;
  readonly enabled: boolean;
  readonly events: readonly string[];
  /** Empty for all accounts of the workspace, future ones included. */
  readonly accountIds: readonly string[];
}

/** `hold` waits for a redelivery; null is not subscribed. */
type Match = 'deliver' | 'hold' | null;

/** Without accounts, a webhook listens to all of its workspace. */
export const listensTo = (accountIds: readonly string[], accountId: string | null): boolean =>
  accountIds.length === 0 || (accountId !== null && accountIds.includes(accountId));

/** A disabled webhook holds what it would have received. */
export function match(
  { workspaceId, source, event, accountId }: Pick<DeliveryEvent, 'workspaceId' | 'source' | 'event' | 'accountId'>,
  listener: Listener,
): Match {
  if (listener.workspaceId !== workspaceId) return null;
  // A trigger event is addressed to one webhook: it matches none.
  if (source === null || listener.source !== source) return null;
  if (!listener.events.includes(event)) return null;
  if (!listensTo(listener.accountIds, accountId)) return null;
  return listener.enabled ? 'deliver' : 'hold';
}
