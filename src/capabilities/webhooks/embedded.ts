import { defaultMapping } from '../../events/event.ts';
import type { WebhookSource } from '../../events/sources.ts';
import { accessTo } from '../../kernel/caller.ts';
import { isId } from '../../kernel/ids.ts';
import { type CursorCodec, fitsNothing } from '../../kernel/paging.ts';
import { printedItems, printedPages } from '../../kernel/printed-pages.ts';
import { isInWorkspace } from '../../store/conditions.ts';
import { startPage } from '../../store/keyset.ts';
import { countLists, selectPages } from '../../store/keyset-pages.ts';
import type { Notifications } from '../../store/notifications.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import { findByIds, readTogether } from '../../store/reads.ts';
import { shortReadByIds } from '../../store/short-reads.ts';
import { isAhead } from '../../store/statement-time.ts';
import { commandsInLine, type InLine } from '../../store/workspace-lines.ts';
import { webhookListScope } from './filter.ts';
import { fittingWebhooks, webhookKeyset, webhookList } from './listed.ts';
import { accountIdsOf, changeChecked } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import { removeWebhook } from './removal.ts';
import { createWebhook, type RegistryContext, readWholeWebhooks, toListed, webhooksById } from './repository.ts';
import { webhookSecrets } from './secrets.ts';
import {
  type DisabledReason,
  largeParts,
  type WebhookHealth,
  type WebhookHealthState,
  webhookLimits,
} from './shapes.ts';
import { subscribedEvents, webhookUpdate } from './update.ts';
import { listWhole } from './whole-list.ts';

interface EmbeddedWebhooksContext extends RegistryContext {
  readonly cursors: CursorCodec;
  readonly budget: ReadBudget;
  readonly notifications: Pick<Notifications, 'transaction'>;
  readonly inLine: InLine;
}

export function embeddedWebhooks(context: EmbeddedWebhooksContext): WebhooksPort {
  const { cursors } = context;

  const readLists: WebhooksPort['lists'] = (call, requests) => {
    const { caller } = call;
    return readTogether(
      requests,
      ({ cursor, limit = webhookLimits.limit.default, ...filter }) => {
        const scope = ['webhooks', caller.keyId, ...webhookListScope(filter)];
        const place = { cursors, scope, cursor, limit };
        const listed = webhookList(context, caller, filter);
        // Others look at each webhook.
        const turn = 'bound' in listed ? null : 'shared';
        return startPage(listed, webhookKeyset(filter), place, { isEmpty: fitsNothing(filter), turn });
      },
      async (started) => {
        const pages = await selectPages(context, call, started);
        return pages.map(({ items, cursor }) => ({ items: toListed(caller, items), cursor }));
      },
    );
  };

  const readByIds: WebhooksPort['find'] = ({ caller }, webhookIds) =>
    findByIds(webhookIds, isId, async (ids) =>
      toListed(
        caller,
        await shortReadByIds(context.database, 'webhooks by id', ids, caller, (reach, some) =>
          webhooksById(context, reach, some),
        ),
      ),
    );

  return {
    hasShortPages: false,
    health: webhookHealth(context),

    ...printedPages({ name: 'webhooks', lists: readLists, lacks: largeParts }),
    list: listWhole(context),

    counts: (call, filters) =>
      countLists(context, call, filters, (filter) => ({
        query: fittingWebhooks(context, call.caller, filter).clearSelect().select('id'),
      })),

    ...printedItems({ name: 'webhooks', find: readByIds, lacks: largeParts }),

    whole: (call, webhookIds) => readWholeWebhooks(context, call, webhookIds),
    ...commandsInLine(context.inLine, webhookCommands(context)),
  };
}

const webhookCommands = (
  context: EmbeddedWebhooksContext,
): Pick<WebhooksPort, 'create' | 'createTrigger' | 'update' | 'rotateSecret' | 'showSecret' | 'delete'> => ({
  ...webhookSecrets(context),
  update: webhookUpdate(context),

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
    changeChecked(context.database, caller, id, async (webhook) =>
      (await removeWebhook(context.notifications.transaction, webhook)) ? { object: 'WebhookDeleted' } : null,
    ),
});

const webhookHealth =
  ({ database, now }: RegistryContext): WebhooksPort['health'] =>
  async ({ caller }, webhookIds) => {
    const rows = await database
      .selectFrom('webhooks')
      .innerJoin('webhook_destinations', 'webhook_destinations.webhook_id', 'webhooks.id')
      .leftJoin('notice_receivers', (join) =>
        join
          .onRef('notice_receivers.webhook_id', '=', 'webhooks.id')
          .onRef('notice_receivers.workspace_id', '=', 'webhooks.workspace_id'),
      )
      .select('notice_receivers.webhook_id as notified')
      .select(['webhooks.id', 'account_ids', 'health', 'disabled_reason', 'disabled_at'])
      .select(['failing_since', 'failed_attempts', 'failing', 'paused_until'])
      .where(isInWorkspace('webhooks', caller.workspaceId))
      .where('webhooks.id', 'in', webhookIds)
      .execute();
    const time = now().getTime();
    const managed = rows.filter((row) => accessTo(caller, accountIdsOf(row)) === 'manage');
    const byId = new Map(
      managed.map((row): [string, WebhookHealth] => [
        row.id,
        {
          state: row.health as WebhookHealthState,
          disabled_reason: row.disabled_reason as DisabledReason | null,
          disabled_at: row.disabled_at,
          failing_since: row.failing === 1 ? row.failing_since : null,
          failed_attempt_count: row.failing_since === null ? 0 : row.failed_attempts,
          receives_notices: row.notified !== null,
          paused_until: isAhead('webhook_destinations.paused_until', row.paused_until, time) ? row.paused_until : null,
        },
      ]),
    );
    return webhookIds.map((id) => byId.get(id) ?? null);
  };
