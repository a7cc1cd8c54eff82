import { z } from 'zod';
import { operationThatNeeds } from '../../kernel/operation.ts';
import { idList } from '../../kernel/validation.ts';
import {
  attemptListShape,
  deliveryFilterShape,
  deliveryListShape,
  emitShape,
  eventListShape,
  eventWatchShape,
  fireTriggerShape,
  redeliverAllShape,
  redeliverShape,
  statisticsShape,
  summaryShape,
  testEventShape,
  watchShape,
} from './shapes.ts';

const operation = operationThatNeeds('ownWebhooks');
/** Events come too often: with one a second, nothing would stay cached. */
const command = operationThatNeeds('ownWebhooks', { leavesCache: true });

export const listDeliveries = operation('webhooks:read', deliveryListShape, ({ deliveries }) => deliveries.list);
export const countDeliveries = operation(
  'webhooks:read',
  z.array(deliveryFilterShape),
  ({ deliveries }) => deliveries.counts,
);
export const findDeliveries = operation('webhooks:read', idList(), ({ deliveries }) => deliveries.find);
export const readEventData = operation('webhooks:read', idList(), ({ deliveries }) => deliveries.data);
export const listAttempts = operation('webhooks:read', attemptListShape, ({ deliveries }) => deliveries.attempts);
export const findLastAttempts = operation('webhooks:read', idList(), ({ deliveries }) => deliveries.lastAttempts);
export const readStatistics = operation('webhooks:read', statisticsShape, ({ deliveries }) => deliveries.statistics);
export const readBacklogs = operation('webhooks:read', idList(), ({ deliveries }) => deliveries.backlog);
export const readWebhookSummary = operation('webhooks:read', summaryShape, ({ deliveries }) => deliveries.summary);
export const watchDeliveries = operation('webhooks:read', watchShape, ({ deliveries }) => deliveries.watch);
export const listEvents = operation('webhooks:read', eventListShape, ({ deliveries }) => deliveries.events);
export const findEvents = operation('webhooks:read', idList(), ({ deliveries }) => deliveries.findEvents);
export const readDataOfEvents = operation('webhooks:read', idList(), ({ deliveries }) => deliveries.dataOfEvents);
export const watchEvents = operation('webhooks:read', eventWatchShape, ({ deliveries }) => deliveries.watchEvents);
export const emitEvent = command('events:write', emitShape, ({ deliveries }) => deliveries.emit);
export const fireTrigger = command('events:write', fireTriggerShape, ({ deliveries }) => deliveries.fireTrigger);
export const sendTestEvent = command('webhooks:write', testEventShape, ({ deliveries }) => deliveries.sendTest);
export const redeliver = command('webhooks:write', redeliverShape, ({ deliveries }) => deliveries.redeliver);
export const redeliverAll = command('webhooks:write', redeliverAllShape, ({ deliveries }) => deliveries.redeliverAll);
