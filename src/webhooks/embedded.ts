import type { Caller } from '../auth/caller.ts';
import { ServiceError } from '../errors.ts';
import { webhookSources } from '../events/sources.ts';
import { checkId, isId } from '../ids.ts';
import type { CursorCodec } from '../paging.ts';
import { findByIds } from '../store/find-by-ids.ts';
import { byCreation, selectPage } from '../store/keyset.ts';
import { manageWebhooks } from './managing.ts';
import type { WebhooksPort } from './port.ts';
import { insertWebhook, type RegistryContext, toWebhooks } from './repository.ts';
import { webhookLimits } from './shapes.ts';

/** The webhook registry in our own database. */
export function embeddedWebhooks(context: RegistryContext & { readonly cursors: CursorCodec }): WebhooksPort {
  const { database, cursors } = context;
  const ofWorkspace = (caller: Caller) =>
    database.selectFrom('webhooks').selectAll().where('workspace_id', '=', caller.workspaceId);

  return {
    ...manageWebhooks(context),

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
      const { events, keys } = webhookSources[request.source];
      const subscribed = [...new Set(request.events)];
      const id = await insertWebhook(context, caller, request, {
        type: 'AUTO',
        source: request.source,
        data: JSON.stringify(request.data ?? keys.map((key) => ({ name: key, key }))),
        events: JSON.stringify(subscribed.length === 0 ? events : subscribed),
        trigger: null,
      });
      return { object: 'WebhookCreated', webhook_id: id };
    },

    async delete({ caller }, { id }) {
      checkId(id, 'webhook');
      const { numDeletedRows } = await database
        .deleteFrom('webhooks')
        .where('id', '=', id)
        .where('workspace_id', '=', caller.workspaceId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new ServiceError('resource_not_found', { detail: 'No webhook has this id.' });
      return { object: 'WebhookDeleted' };
    },
  };
}
