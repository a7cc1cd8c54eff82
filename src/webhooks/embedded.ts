import type { Caller } from '../auth/caller.ts';
import { type WebhookSource, webhookSources } from '../events/sources.ts';
import { checkId, isId } from '../ids.ts';
import type { CursorCodec } from '../paging.ts';
import { findByIds } from '../store/find-by-ids.ts';
import { byCreation, selectPage } from '../store/keyset.ts';
import type { Notifications } from '../store/notifications.ts';
import { disableWebhook, enableWebhook } from './destinations.ts';
import { webhookHealth } from './health.ts';
import type { WebhooksPort } from './port.ts';
import { createWebhook, type RegistryContext, requireWebhook, toWebhooks, unknownWebhook } from './repository.ts';
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
  const ofWorkspace = (caller: Caller) =>
    database.selectFrom('webhooks').selectAll().where('workspace_id', '=', caller.workspaceId);

  return {
    ...webhookSecrets(context),
    update: updateWebhook(context),
    health: webhookHealth(context),

    async list({ caller }, { limit = webhookLimits.limit.default, cursor }) {
      const scope = ['webhooks', caller.workspaceId];
      const request = { cursors, scope, cursor, limit };
      const page = await selectPage(ofWorkspace(caller), byCreation('webhooks', 'asc'), request);
      return { object: 'WebhookList', items: await toWebhooks(context, caller, page.items), cursor: page.cursor };
    },

    find: ({ caller }, webhookIds) =>
      findByIds(webhookIds, isId, async (ids) =>
        toWebhooks(context, caller, await ofWorkspace(caller).where('id', 'in', ids).execute()),
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
      await requireWebhook(database, caller, webhook_id);
      await notifications.transaction(async (transaction, changed) => {
        if (enabled) await enableWebhook(transaction, webhook_id);
        else changed.deliveries(await disableWebhook(transaction, webhook_id, 'caller', now().getTime()));
      });
      return { object: 'WebhookUpdated', webhook_id };
    },

    async delete({ caller }, { id }) {
      checkId(id, 'webhook');
      const { numDeletedRows } = await database
        .deleteFrom('webhooks')
        .where('id', '=', id)
        .where('workspace_id', '=', caller.workspaceId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw unknownWebhook();
      return { object: 'WebhookDeleted' };
    },
  };
}
