import type { StoredBytes } from '../../store/stored-bytes.ts';
import { commandsInLine, type InLine } from '../../store/workspace-lines.ts';
import { webhookBacklog } from './backlog.ts';
import { type CommandsContext, deliveryCommands } from './commands.ts';
import { accountEvents } from './events.ts';
import { type DeliveryRateLimits, limitedCommands } from './limits.ts';
import type { DeliveriesPort } from './port.ts';
import { deliveryQueries, type QueriesContext } from './queries.ts';
import { webhookStatistics, webhookSummary } from './statistics.ts';
import { deliveryWatch, eventWatch, type WatchContext } from './watch.ts';

/** In our own database, sent by our own engine. */
export const embeddedDeliveries = (
  context: CommandsContext &
    QueriesContext &
    WatchContext & { readonly inLine: InLine; readonly limits: DeliveryRateLimits; readonly storedBytes: StoredBytes },
): DeliveriesPort => {
  const { redeliver, redeliverAll, ...emitting } = limitedCommands(
    deliveryCommands(context),
    context.limits,
    context.storedBytes,
  );
  return {
    ...deliveryQueries(context),
    statistics: webhookStatistics(context),
    backlog: webhookBacklog(context),
    summary: webhookSummary(context),
    // An event takes a turn where it is stored (delivery/emit.ts).
    ...emitting,
    ...commandsInLine(context.inLine, { redeliver, redeliverAll }),
    ...deliveryWatch(context),
    ...accountEvents(context),
    ...eventWatch(context),
  };
};
