import { type CommandsContext, deliveryCommands } from './commands.ts';
import type { DeliveriesPort } from './port.ts';
import { deliveryQueries, type QueriesContext } from './queries.ts';

/** Deliveries in our own database, sent by our own engine. */
export const embeddedDeliveries = (context: CommandsContext & QueriesContext): DeliveriesPort => ({
  ...deliveryQueries(context),
  ...deliveryCommands(context),
});
