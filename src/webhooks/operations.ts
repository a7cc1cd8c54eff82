import { operation } from '../operation.ts';
import { idList } from '../validation.ts';
import {
  createTriggerShape,
  setEnabledShape,
  updateShape,
  webhookCreateShape,
  webhookDeleteShape,
  webhookIdShape,
  webhookListRequestShape,
} from './shapes.ts';

export const listWebhooks = operation('webhooks:read', webhookListRequestShape, ({ webhooks }) => webhooks.list);
export const findWebhooks = operation('webhooks:read', idList(), ({ webhooks }) => webhooks.find);
export const findWebhookHealth = operation('webhooks:read', idList(), ({ webhooks }) => webhooks.health);
export const createWebhook = operation('webhooks:write', webhookCreateShape, ({ webhooks }) => webhooks.create);
export const createTriggerWebhook = operation(
  'webhooks:write',
  createTriggerShape,
  ({ webhooks }) => webhooks.createTrigger,
);
export const updateWebhook = operation('webhooks:write', updateShape, ({ webhooks }) => webhooks.update);
export const setWebhookEnabled = operation('webhooks:write', setEnabledShape, ({ webhooks }) => webhooks.setEnabled);
export const rotateWebhookSecret = operation('webhooks:write', webhookIdShape, ({ webhooks }) => webhooks.rotateSecret);
export const showWebhookSecret = operation('webhooks:write', webhookIdShape, ({ webhooks }) => webhooks.showSecret);
export const deleteWebhook = operation('webhooks:write', webhookDeleteShape, ({ webhooks }) => webhooks.delete);
