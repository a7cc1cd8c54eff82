import type { Caller } from '../auth/caller.ts';
import type { Notifications } from '../delivery/notifications.ts';
import { type WebhookSource, webhookSources } from '../events/sources.ts';
import { checkId, isId } from '../ids.ts';
import type { CursorCodec } from '../paging.ts';
import { readPage } from '../store/keyset.ts';
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
      const page = await readPage(cursors, ['webhooks', caller.workspaceId], { cursor, limit }, (place, count) => {
        let query = ofWorkspace(caller).orderBy('created_at').orderBy('id').limit(count);
        if (place !== null) {
          query = query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('created_at', 'id'), '>', tuple(place.created_at, place.id)),
          );
        }
        return query.execute();
      });
      return { object: 'WebhookList', items: await toWebhooks(context, caller, page.items), cursor: page.cursor };
    },

    async find({ caller }, webhookIds) {
      const wellFormed = webhookIds.filter(isId);
      if (wellFormed.length === 0) return webhookIds.map(() => null);
      const rows = await ofWorkspace(caller).where('id', 'in', wellFormed).execute();
      const byId = new Map((await toWebhooks(context, caller, rows)).map((webhook) => [webhook.id, webhook]));
      return webhookIds.map((id) => byId.get(id) ?? null);
    },

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
