import type { DeliveriesPort } from '../webhooks/port.ts';
import type { RegistryContext } from '../webhooks/rows.ts';
import { type ActingContext, actOnDeliveries } from './acting.ts';
import { manageWebhooks } from './managing.ts';
import { type ReadingContext, readDeliveries } from './reading.ts';

/** Deliveries and the management of webhooks, over our own database. */
export const embeddedDeliveries = (context: ActingContext & RegistryContext & ReadingContext): DeliveriesPort => ({
  ...readDeliveries(context),
  ...actOnDeliveries(context),
  ...manageWebhooks(context),
});
