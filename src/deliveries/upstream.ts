import { notServed } from '../upstream/unsupported.ts';
import type { DeliveriesPort } from './port.ts';

const readDeliveries = 'read deliveries';
const sendEvents = 'send events';

/** The contract does not cover deliveries, so an upstream service does not serve them. */
export const upstreamDeliveries: DeliveriesPort = {
  list: notServed(readDeliveries),
  find: notServed(readDeliveries),
  attempts: notServed(readDeliveries),
  watch: notServed(readDeliveries),
  emit: notServed(sendEvents),
  fireTrigger: notServed(sendEvents),
  sendTest: notServed(sendEvents),
  redeliver: notServed(sendEvents),
  redeliverAll: notServed(sendEvents),
};
