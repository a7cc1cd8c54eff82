import type { DeliveriesPort } from '../webhooks/port.ts';
import { type ActingContext, actOnDeliveries } from './acting.ts';
import { type ManagingContext, manageWebhooks } from './managing.ts';
import { type ReadingContext, readDeliveries } from './reading.ts';

/** Deliveries and the management of webhooks, over our own database. */
export const embeddedDeliveries = (context: ActingContext & ManagingContext & ReadingContext): DeliveriesPort => ({
  ...readDeliveries(context),
  ...actOnDeliveries(context),
  ...manageWebhooks(context),
});
