import { notServed } from '../upstream/unsupported.ts';
import type { DeliveriesPort } from './port.ts';

const seeDeliveries = 'see deliveries';
const sendEvents = 'send events';

/** The contract has nothing about deliveries. */
export const upstreamDeliveries: DeliveriesPort = {
  list: notServed(seeDeliveries),
  find: notServed(seeDeliveries),
  attempts: notServed(seeDeliveries),
  watch: notServed(seeDeliveries),
  emit: notServed(sendEvents),
  fireTrigger: notServed(sendEvents),
  sendTest: notServed(sendEvents),
  redeliver: notServed(sendEvents),
  redeliverAll: notServed(sendEvents),
};
