import { requireAccount } from '../accounts/acting.ts';
import { checkId, isId, newId, type RandomBytes } from '../accounts/ids.ts';
import type { AccountType, Caller } from '../accounts/shapes.ts';
import { ServiceError } from '../errors.ts';
import type { CursorCodec } from '../paging.ts';
import type { Database } from '../store/database.ts';
import { readPage } from '../store/list.ts';
import type { WebhookTable } from '../store/schema.ts';
import type { WebhooksPort } from './port.ts';
import { type Webhook, webhookLimits } from './shapes.ts';
import { webhookSources } from './sources.ts';

/** The webhook registry in our own database. */
export function embeddedWebhooks({
  database,
  cursors,
  now,
  randomBytes,
}: {
  readonly database: Database;
  readonly cursors: CursorCodec;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
}): WebhooksPort {
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
      return { object: 'WebhookList', items: await toWebhooks(database, page.items), cursor: page.cursor };
    },

    async find({ caller }, webhookIds) {
      const wellFormed = webhookIds.filter(isId);
      if (wellFormed.length === 0) return webhookIds.map(() => null);
      const rows = await ofWorkspace(caller).where('id', 'in', wellFormed).execute();
      const byId = new Map((await toWebhooks(database, rows)).map((webhook) => [webhook.id, webhook]));
      return webhookIds.map((id) => byId.get(id) ?? null);
    },

    async create({ caller }, request) {
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
          headers: JSON.stringify(request.headers ?? []),
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

/** Every account must be well formed, connected in the workspace, and among those of the key. */
async function requireAccounts(database: Database, caller: Caller, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) {
    if (caller.accountIds === null) return;
    // Without account_ids a webhook listens on every account of the workspace, and this key may not.
    throw new ServiceError('account_mismatch', {
      detail: 'The API key is limited to some accounts: name the ones to listen on in account_ids.',
    });
  }
  for (const id of accountIds) checkId(id, 'account');
  const rows = await database
    .selectFrom('accounts')
    .select('id')
    .where('workspace_id', '=', caller.workspaceId)
    .where('id', 'in', accountIds)
    .execute();
  const known = new Set(rows.map((row) => row.id));
  const unknown = accountIds.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new ServiceError('resource_not_found', { detail: `No connected account has the id ${unknown.join(', ')}.` });
  }
  for (const id of accountIds) requireAccount(caller, id);
}

/** Rows in the contract's read form; their accounts are read with one query for all. */
async function toWebhooks(database: Database, rows: readonly WebhookTable[]): Promise<Webhook[]> {
  const accountIds = [...new Set(rows.flatMap((row): string[] => JSON.parse(row.account_ids)))];
  const accounts =
    accountIds.length === 0
      ? []
      : await database.selectFrom('accounts').select(['id', 'name', 'type']).where('id', 'in', accountIds).execute();
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return rows.map((row) => {
    const listened = (JSON.parse(row.account_ids) as string[]).flatMap((id) => byId.get(id) ?? []);
    const common = {
      object: 'Webhook' as const,
      id: row.id,
      ...(row.name === null ? {} : { name: row.name }),
      enabled: row.enabled === 1,
      request_url: row.request_url,
      format: row.format as Webhook['format'],
      account_ids: listened.map(({ id, name, type }) => ({
        id,
        ...(name === null ? {} : { name }),
        type: type as AccountType,
      })),
      headers: JSON.parse(row.headers),
      data: JSON.parse(row.data),
      events: JSON.parse(row.events),
    };
    return row.trigger === null
      ? { ...common, type: 'AUTO' as const }
      : { ...common, type: 'TRIGGER' as const, trigger: JSON.parse(row.trigger) };
  });
}
