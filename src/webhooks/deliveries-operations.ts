import { operation } from '../operation.ts';
import {
  attemptListShape,
  createTriggerShape,
  deliveryListShape,
  emitShape,
  fireTriggerShape,
  redeliverShape,
  replayShape,
  setEnabledShape,
  subscriptionShape,
  testEventShape,
  updateShape,
  webhookIdShape,
} from './deliveries.ts';

export const listDeliveries = operation({
  scope: 'webhooks:read',
  shape: deliveryListShape,
  run: (ports, call, request) => ports.deliveries.list(call, request),
});

export const listAttempts = operation({
  scope: 'webhooks:read',
  shape: attemptListShape,
  run: (ports, call, request) => ports.deliveries.attempts(call, request),
});

export const watchDeliveries = operation({
  scope: 'webhooks:read',
  shape: subscriptionShape,
  run: (ports, call, request) => ports.deliveries.watch(call, request),
});

export const emitEvent = operation({
  scope: 'events:write',
  shape: emitShape,
  run: (ports, call, request) => ports.deliveries.emit(call, request),
});

export const fireTrigger = operation({
  scope: 'events:write',
  shape: fireTriggerShape,
  run: (ports, call, request) => ports.deliveries.fireTrigger(call, request),
});

export const sendTestEvent = operation({
  scope: 'webhooks:write',
  shape: testEventShape,
  run: (ports, call, request) => ports.deliveries.sendTest(call, request),
});

export const redeliver = operation({
  scope: 'webhooks:write',
  shape: redeliverShape,
  run: (ports, call, request) => ports.deliveries.redeliver(call, request),
});

export const replayDeliveries = operation({
  scope: 'webhooks:write',
  shape: replayShape,
  run: (ports, call, request) => ports.deliveries.replay(call, request),
});

export const createTriggerWebhook = operation({
  scope: 'webhooks:write',
  shape: createTriggerShape,
  run: (ports, call, request) => ports.deliveries.createTrigger(call, request),
});

export const updateWebhook = operation({
  scope: 'webhooks:write',
  shape: updateShape,
  run: (ports, call, request) => ports.deliveries.update(call, request),
});

export const setWebhookEnabled = operation({
  scope: 'webhooks:write',
  shape: setEnabledShape,
  run: (ports, call, request) => ports.deliveries.setEnabled(call, request),
});

export const rotateWebhookSecret = operation({
  scope: 'webhooks:write',
  shape: webhookIdShape,
  run: (ports, call, request) => ports.deliveries.rotateSecret(call, request),
});

export const showWebhookSecret = operation({
  scope: 'webhooks:write',
  shape: webhookIdShape,
  run: (ports, call, request) => ports.deliveries.showSecret(call, request),
});
