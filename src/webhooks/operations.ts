import { operation } from '../operation.ts';
import { webhookCreateShape, webhookDeleteShape, webhookListRequestShape } from './shapes.ts';

export const listWebhooks = operation({
  scope: 'webhooks:read',
  shape: webhookListRequestShape,
  run: (ports, call, request) => ports.webhooks.list(call, request),
});

export const createWebhook = operation({
  scope: 'webhooks:write',
  shape: webhookCreateShape,
  run: (ports, call, request) => ports.webhooks.create(call, request),
});

export const deleteWebhook = operation({
  scope: 'webhooks:write',
  shape: webhookDeleteShape,
  run: (ports, call, request) => ports.webhooks.delete(call, request),
});
