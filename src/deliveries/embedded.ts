import { type ActingContext, actOnDeliveries } from './commands.ts';
import type { DeliveriesPort } from './port.ts';
import { type ReadingContext, readDeliveries } from './queries.ts';

/** Deliveries in our own database, sent by our own engine. */
export const embeddedDeliveries = (context: ActingContext & ReadingContext): DeliveriesPort => ({
  ...readDeliveries(context),
  ...actOnDeliveries(context),
});
