import { z } from 'zod';
import { operation } from '../../kernel/operation.ts';
import type { Page } from '../../kernel/paging.ts';
import { idList } from '../../kernel/validation.ts';
import { type WebhookSearch, webhookFilterShape, webhookSearchShape } from './filter.ts';
import {
  createTriggerShape,
  type ListedWebhook,
  setEnabledShape,
  setNoticesShape,
  updateShape,
  webhookCreateShape,
  webhookDeleteShape,
  webhookIdShape,
  webhookListRequestShape,
} from './shapes.ts';

export const listWebhooks = operation('webhooks:read', webhookListRequestShape, ({ webhooks }) => webhooks.list);
/** With filters that the contract does not have. */
export const searchWebhooks = operation<WebhookSearch, Page<ListedWebhook>>(
  'webhooks:read',
  webhookSearchShape,
  ({ webhooks }) => webhooks.list,
);
export const countWebhooks = operation('webhooks:read', z.array(webhookFilterShape), ({ webhooks }) => webhooks.counts);
export const findWebhooks = operation('webhooks:read', idList(), ({ webhooks }) => webhooks.find);
export const readWebhooks = operation('webhooks:read', idList(), ({ webhooks }) => webhooks.whole);
export const findWebhookHealth = operation('webhooks:read', idList(), ({ webhooks }) => webhooks.health);
export const createWebhook = operation('webhooks:write', webhookCreateShape, ({ webhooks }) => webhooks.create, {
  isAtomic: true,
});
export const createTriggerWebhook = operation(
  'webhooks:write',
  createTriggerShape,
  ({ webhooks }) => webhooks.createTrigger,
  { isAtomic: true },
);
export const updateWebhook = operation('webhooks:write', updateShape, ({ webhooks }) => webhooks.update);
export const setWebhookEnabled = operation('webhooks:write', setEnabledShape, ({ webhooks }) => webhooks.setEnabled);
export const setWebhookNotices = operation('webhooks:write', setNoticesShape, ({ webhooks }) => webhooks.setNotices);
export const rotateWebhookSecret = operation('webhooks:write', webhookIdShape, ({ webhooks }) => webhooks.rotateSecret);
export const revealWebhookSecret = operation('webhooks:write', webhookIdShape, ({ webhooks }) => webhooks.showSecret, {
  changes: false,
});
export const deleteWebhook = operation('webhooks:write', webhookDeleteShape, ({ webhooks }) => webhooks.delete);
