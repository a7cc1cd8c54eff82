import { checkId, isId, newId, type RandomBytes } from '../accounts/ids.ts';
import type { Caller } from '../accounts/shapes.ts';
import type { AddressRule } from '../addresses.ts';
import { ServiceError } from '../errors.ts';
import type { CursorCodec } from '../paging.ts';
import type { Database } from '../store/database.ts';
import { readPage } from '../store/list.ts';
import type { Vault } from '../vault.ts';
import type { WebhooksPort } from './port.ts';
import { requireAccounts, requireTarget, sealHeaders, toWebhooks } from './rows.ts';
import { webhookLimits } from './shapes.ts';
import { webhookSources } from './sources.ts';

/** The webhook registry in our own database. */
export function embeddedWebhooks({
  database,
  cursors,
  vault,
  allows,
  now,
  randomBytes,
}: {
  readonly database: Database;
  readonly cursors: CursorCodec;
  readonly vault: Vault;
  /** The addresses that deliveries may go to. */
  readonly allows: AddressRule;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
}): WebhooksPort {
  const stored = { database, vault };
  const ofWorkspace = (caller: Caller) =>
    database.selectFrom('webhooks').selectAll().where('workspace_id', '=', caller.workspaceId);

  return {
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
      return { object: 'WebhookList', items: await toWebhooks(stored, caller, page.items), cursor: page.cursor };
    },

    async find({ caller }, webhookIds) {
      const wellFormed = webhookIds.filter(isId);
      if (wellFormed.length === 0) return webhookIds.map(() => null);
      const rows = await ofWorkspace(caller).where('id', 'in', wellFormed).execute();
      const byId = new Map((await toWebhooks(stored, caller, rows)).map((webhook) => [webhook.id, webhook]));
      return webhookIds.map((id) => byId.get(id) ?? null);
    },

    async create({ caller }, request) {
      requireTarget(allows, request.request_url);
      const accountIds = [...new Set(request.account_ids)];
      await requireAccounts(database, caller, accountIds);
      const { events, keys } = webhookSources[request.source];
      const subscribed = [...new Set(request.events)];
      const id = newId(randomBytes);
      await database
        .insertInto('webhooks')
        .values({
          id,
          workspace_id: caller.workspaceId,
          type: 'AUTO',
          source: request.source,
          name: request.name ?? null,
          enabled: (request.enabled ?? true) ? 1 : 0,
          request_url: request.request_url,
          format: request.format ?? 'json',
          account_ids: JSON.stringify(accountIds),
          headers: sealHeaders(vault, id, request.headers ?? []),
          data: JSON.stringify(request.data ?? keys.map((key) => ({ name: key, key }))),
          events: JSON.stringify(subscribed.length === 0 ? events : subscribed),
          trigger: null,
          created_at: now().getTime(),
        })
        .execute();
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
