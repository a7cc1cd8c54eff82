import { type WebhookSource, webhookSources } from '../events/sources.ts';
import { isId } from '../ids.ts';
import type { CursorCodec } from '../paging.ts';
import { findByIds } from '../store/find-by-ids.ts';
import { byCreation, selectPage } from '../store/keyset.ts';
import type { Notifications } from '../store/notifications.ts';
import { disableForCaller, enableWebhook, holdRest } from './destinations.ts';
import { webhookHealth } from './health.ts';
import { requireManageableWebhook } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import { removeWebhook } from './removal.ts';
import { createWebhook, type RegistryContext, toWebhooks, visibleWebhooks } from './repository.ts';
import { webhookSecrets } from './secrets.ts';
import { webhookLimits } from './shapes.ts';
import { subscribedEvents, updateWebhook } from './update.ts';

export interface EmbeddedWebhooksContext extends RegistryContext {
  readonly cursors: CursorCodec;
  readonly notifications: Pick<Notifications, 'transaction'>;
}

/** The webhook registry in our own database. */
export function embeddedWebhooks(context: EmbeddedWebhooksContext): WebhooksPort {
  const { database, cursors, notifications, now } = context;

  const remove: WebhooksPort['delete'] = async (call, request) => {
    const webhook = await requireManageableWebhook(database, call.caller, request.id);
    // Otherwise it has been deleted, or given to other accounts, since it was checked: the next check says which.
    return (await removeWebhook(database, webhook)) ? { object: 'WebhookDeleted' } : remove(call, request);
  };

  return {
    hasShortPages: false,
    ...webhookSecrets(context),
    update: updateWebhook(context),
    health: webhookHealth(context),

    async list({ caller }, { limit = webhookLimits.limit.default, cursor }) {
      const scope = ['webhooks', caller.keyId];
      const request = { cursors, scope, cursor, limit };
      const page = await selectPage(visibleWebhooks(context, caller), byCreation('webhooks', 'asc'), request);
      return { object: 'WebhookList', items: await toWebhooks(context, caller, page.items), cursor: page.cursor };
    },

    find: ({ caller }, webhookIds) =>
      findByIds(webhookIds, isId, async (ids) =>
        toWebhooks(context, caller, await visibleWebhooks(context, caller).where('id', 'in', ids).execute()),
      ),

    async create({ caller }, request) {
      const source: WebhookSource = request.source;
      const id = await createWebhook(context, caller, request, {
        type: 'AUTO',
        source,
        data: JSON.stringify(request.data ?? webhookSources[source].keys.map((key) => ({ name: key, key }))),
        events: JSON.stringify(subscribedEvents({ source }, request.events)),
        trigger: null,
      });
      return { object: 'WebhookCreated', webhook_id: id };
    },

    async createTrigger({ caller }, request) {
      const id = await createWebhook(context, caller, request, {
        type: 'TRIGGER',
        source: null,
        data: '[]',
        events: '[]',
        trigger: JSON.stringify(request.trigger),
      });
      return { object: 'WebhookCreated', webhook_id: id };
    },

    async setEnabled({ caller }, { webhook_id, enabled }) {
      const webhook = await requireManageableWebhook(database, caller, webhook_id);
      await notifications.transaction(async (transaction, changed) => {
        if (enabled) await enableWebhook(transaction, webhook);
        else changed.deliveries(await disableForCaller(transaction, webhook, now().getTime()));
      });
      if (!enabled) await holdRest(notifications.transaction, webhook, { enabled: 0 }, []);
      return { object: 'WebhookUpdated', webhook_id };
    },

    delete: remove,
  };
}
