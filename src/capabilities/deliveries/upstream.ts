import { unsupported } from '../../upstream/client.ts';
import type { DeliveriesPort } from './port.ts';

const readDeliveries = 'read deliveries';
const readEvents = 'read events';
const sendEvents = 'send events';

/** The contract has no endpoint for deliveries. */
export const upstreamDeliveries: DeliveriesPort = {
  list: unsupported(readDeliveries),
  lists: unsupported(readDeliveries),
  counts: unsupported(readDeliveries),
  find: unsupported(readDeliveries),
  data: unsupported(readDeliveries),
  attempts: unsupported(readDeliveries),
  lastAttempts: unsupported(readDeliveries),
  statistics: unsupported(readDeliveries),
  backlog: unsupported(readDeliveries),
  summary: unsupported(readDeliveries),
  watch: unsupported(readDeliveries),
  events: unsupported(readEvents),
  findEvents: unsupported(readEvents),
  dataOfEvents: unsupported(readEvents),
  watchEvents: unsupported(readEvents),
  emit: unsupported(sendEvents),
  fireTrigger: unsupported(sendEvents),
  sendTest: unsupported(sendEvents),
  redeliver: unsupported(sendEvents),
  redeliverAll: unsupported(sendEvents),
};
