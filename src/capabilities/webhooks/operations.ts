import { z } from 'zod';
import { operation, operationThatNeeds } from '../../kernel/operation.ts';
import type { Page } from '../../kernel/paging.ts';
import { idList } from '../../kernel/validation.ts';
import { type WebhookSearch, webhookFilterShape, webhookSearchShape } from './filter.ts';
import {
  createTriggerShape,
  type ListedWebhook,
  updateShape,
  webhookCreateShape,
  webhookDeleteShape,
  webhookIdShape,
  webhookListRequestShape,
} from './shapes.ts';

const ofOwn = operationThatNeeds('ownWebhooks');

export const listWebhooks = operation('webhooks:read', webhookListRequestShape, ({ webhooks }) => webhooks.list);
/** With filters that the contract does not have. */
export const searchWebhooks = operation<WebhookSearch, Page<ListedWebhook>>(
  'webhooks:read',
  webhookSearchShape,
  ({ webhooks }) => webhooks.list,
);
export const countWebhooks = ofOwn('webhooks:read', z.array(webhookFilterShape), ({ webhooks }) => webhooks.counts);
export const findWebhooks = operation('webhooks:read', idList(), ({ webhooks }) => webhooks.find);
export const readWebhooks = operation('webhooks:read', idList(), ({ webhooks }) => webhooks.whole);
export const findWebhookHealth = ofOwn('webhooks:read', idList(), ({ webhooks }) => webhooks.health);
export const createWebhook = operation('webhooks:write', webhookCreateShape, ({ webhooks }) => webhooks.create, {
  isAtomic: true,
});
export const createTriggerWebhook = ofOwn(
  'webhooks:write',
  createTriggerShape,
  ({ webhooks }) => webhooks.createTrigger,
  { isAtomic: true },
);
export const updateWebhook = ofOwn('webhooks:write', updateShape, ({ webhooks }) => webhooks.update);
export const rotateWebhookSecret = ofOwn('webhooks:write', webhookIdShape, ({ webhooks }) => webhooks.rotateSecret);
export const revealWebhookSecret = ofOwn('webhooks:write', webhookIdShape, ({ webhooks }) => webhooks.showSecret, {
  changes: false,
});
export const deleteWebhook = operation('webhooks:write', webhookDeleteShape, ({ webhooks }) => webhooks.delete);
