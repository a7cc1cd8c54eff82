import { type WebhookSource, webhookSources } from '../events/sources.ts';
import { isId } from '../ids.ts';
import type { CursorCodec, Page } from '../paging.ts';
import { findByIds } from '../store/find-by-ids.ts';
import { byCreation, startPage } from '../store/keyset.ts';
import { countRows, selectPages } from '../store/keyset-pages.ts';
import type { Notifications } from '../store/notifications.ts';
import { onlyOf, readTogether } from '../store/read-together.ts';
import type { WebhookTable } from '../store/schema.ts';
import { maxTotalCount } from '../validation.ts';
import { disableForCaller, enableWebhook, holdRest } from './destinations.ts';
import { webhookListScope } from './filter.ts';
import { webhookHealth } from './health.ts';
import { requireManageableWebhook } from './manageable.ts';
import { setNotices } from './notices.ts';
import type { WebhooksPort } from './port.ts';
import { removeWebhook } from './removal.ts';
import { createWebhook, listedWebhooks, type RegistryContext, toWebhooks, visibleWebhooks } from './repository.ts';
import { webhookSecrets } from './secrets.ts';
import { webhookLimits } from './shapes.ts';
import { subscribedEvents, updateWebhook } from './update.ts';

export interface EmbeddedWebhooksContext extends RegistryContext {
  readonly cursors: CursorCodec;
  readonly notifications: Pick<Notifications, 'transaction'>;
}

const oldestFirst = byCreation('webhooks', 'asc');

const byId = ({ items }: Page<WebhookTable>) => items.map((row) => [row.id, row] as const);

/** The webhook registry in our own database. */
export function embeddedWebhooks(context: EmbeddedWebhooksContext): WebhooksPort {
  const { database, cursors, notifications, now } = context;

  const remove: WebhooksPort['delete'] = async (call, request) => {
    const webhook = await requireManageableWebhook(database, call.caller, request.id);
    // Otherwise it has been deleted, or given to other accounts, since it was checked: the next check says which.
    return (await removeWebhook(database, context.kind, webhook))
      ? { object: 'WebhookDeleted' }
      : remove(call, request);
  };

  const lists: WebhooksPort['lists'] = ({ caller }, requests) =>
    readTogether(
      requests,
      ({ cursor, limit = webhookLimits.limit.default, ...filter }) => {
        const scope = ['webhooks', caller.keyId, ...webhookListScope(filter)];
        return startPage(listedWebhooks(context, caller, filter), oldestFirst, { cursors, scope, cursor, limit });
      },
      async (started) => {
        const pages = await selectPages(database, started, oldestFirst);
        // Together, so that the accounts of all are read with one query.
        const shown = await toWebhooks(context, caller, [...new Map(pages.flatMap(byId)).values()]);
        const found = new Map(shown.map((webhook) => [webhook.id, webhook]));
        return pages.map(({ items, cursor }) => ({
          object: 'WebhookList' as const,
          items: items.flatMap(({ id }) => found.get(id) ?? []),
          cursor,
        }));
      },
    );

  return {
    hasShortPages: false,
    ...webhookSecrets(context),
    update: updateWebhook(context),
    health: webhookHealth(context),
    setNotices: setNotices(context),

    lists,
    list: async (call, request) => onlyOf(await lists(call, [request])),

    counts: ({ caller }, filters) =>
      readTogether(
        filters,
        (filter) => listedWebhooks(context, caller, filter).clearSelect().select('id'),
        (listed) => countRows(database, listed, maxTotalCount),
      ),

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
