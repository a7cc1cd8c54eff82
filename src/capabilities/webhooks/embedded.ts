import { defaultMapping } from '../../events/event.ts';
import type { WebhookSource } from '../../events/sources.ts';
import { isId } from '../../kernel/ids.ts';
import { type CursorCodec, fitsNothing } from '../../kernel/paging.ts';
import { printedItems, printedPages } from '../../kernel/printed-pages.ts';
import { startPage } from '../../store/keyset.ts';
import { countLists, selectPages } from '../../store/keyset-pages.ts';
import type { Notifications } from '../../store/notifications.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import { findByIds, readTogether } from '../../store/reads.ts';
import { webhookListScope } from './filter.ts';
import { webhookHealth } from './health.ts';
import { fittingWebhooks, listedWebhooks, webhookKeyset } from './listed.ts';
import { changeChecked } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import { removeWebhook } from './removal.ts';
import { createWebhook, type RegistryContext, readWholeWebhooks, toListed, webhooksById } from './repository.ts';
import { webhookSecrets } from './secrets.ts';
import { largeParts, webhookLimits } from './shapes.ts';
import { subscribedEvents, webhookUpdate } from './update.ts';
import { listWhole } from './whole-list.ts';

interface EmbeddedWebhooksContext extends RegistryContext {
  readonly cursors: CursorCodec;
  readonly budget: ReadBudget;
  readonly notifications: Pick<Notifications, 'transaction'>;
}

export function embeddedWebhooks(context: EmbeddedWebhooksContext): WebhooksPort {
  const { database, cursors, notifications } = context;

  const readLists: WebhooksPort['lists'] = (call, requests) => {
    const { caller } = call;
    return readTogether(
      requests,
      ({ cursor, limit = webhookLimits.limit.default, ...filter }) => {
        const scope = ['webhooks', caller.keyId, ...webhookListScope(filter)];
        const place = { cursors, scope, cursor, limit };
        const listed = listedWebhooks(context, caller, filter);
        return startPage(listed, webhookKeyset(filter), place, { isEmpty: fitsNothing(filter) });
      },
      async (started) => {
        const pages = await selectPages(context, call, started);
        return pages.map(({ items, cursor }) => ({ items: toListed(caller, items), cursor }));
      },
    );
  };

  const readByIds: WebhooksPort['find'] = ({ caller }, webhookIds) =>
    findByIds(webhookIds, isId, async (ids) => toListed(caller, await webhooksById(context, caller, ids).execute()));

  return {
    hasShortPages: false,
    ...webhookSecrets(context),
    update: webhookUpdate(context),
    health: webhookHealth(context),

    ...printedPages({ name: 'webhooks', lists: readLists, lacks: largeParts }),
    list: listWhole(context),

    counts: (call, filters) =>
      countLists(context, call, filters, (filter) => ({
        query: fittingWebhooks(context, call.caller, filter).clearSelect().select('id'),
      })),

    ...printedItems({ name: 'webhooks', find: readByIds, lacks: largeParts }),

    whole: (call, webhookIds) => readWholeWebhooks(context, call, webhookIds),

    async create(call, request) {
      const source: WebhookSource = request.source;
      return createWebhook(context, call, request, {
        type: 'AUTO',
        source,
        data: JSON.stringify(request.data ?? defaultMapping(source)),
        events: JSON.stringify(subscribedEvents({ source }, request.events)),
        trigger: null,
      });
    },

    createTrigger: (call, request) =>
      createWebhook(context, call, request, {
        type: 'TRIGGER',
        source: null,
        data: '[]',
        events: '[]',
        trigger: JSON.stringify(request.trigger),
      }),

    delete: ({ caller }, { id }) =>
      changeChecked(database, caller, id, async (webhook) =>
        (await removeWebhook(notifications.transaction, webhook)) ? { object: 'WebhookDeleted' } : null,
      ),
  };
}
