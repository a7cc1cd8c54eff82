/** What callers change about webhooks beyond the contract: settings, secrets, whether they are delivered to. */

import { maxSecrets, rotated, secretText, validSecrets } from '../delivery/signature.ts';
import { ServiceError } from '../errors.ts';
import { type WebhookSource, webhookSources } from '../events/sources.ts';
import type { Database } from '../store/database.ts';
import type { WebhookTable } from '../store/schema.ts';
import { invalidParameters } from '../validation.ts';
import { disableWebhook, ensureEndpoints, openSecrets, sealSecrets } from './destinations.ts';
import type { WebhooksPort } from './port.ts';
import {
  insertWebhook,
  type RegistryContext,
  requireAccounts,
  requireTarget,
  requireWebhook,
  sealHeaders,
} from './repository.ts';
import type { DisabledReason, WebhookHealth, WebhookUpdate } from './shapes.ts';

export function manageWebhooks(
  context: RegistryContext,
): Pick<WebhooksPort, 'health' | 'createTrigger' | 'update' | 'setEnabled' | 'rotateSecret' | 'showSecret'> {
  const { database, vault, allows, now, randomBytes } = context;
  const endpointOf = async (transaction: Database, webhookId: string) => {
    const endpoint = (await ensureEndpoints(transaction, context, [webhookId])).get(webhookId);
    if (endpoint === undefined) throw new ServiceError('resource_not_found', { detail: 'No webhook has this id.' });
    return endpoint;
  };

  return {
    async health({ caller }, webhookIds) {
      const rows = await database
        .selectFrom('webhooks')
        .leftJoin('endpoints', 'endpoints.webhook_id', 'webhooks.id')
        .select(['webhooks.id', 'disabled_reason', 'disabled_at', 'failing_since', 'paused_until'])
        .where('webhooks.workspace_id', '=', caller.workspaceId)
        .where('webhooks.id', 'in', webhookIds)
        .execute();
      const time = now().getTime();
      const byId = new Map(
        rows.map((row): [string, WebhookHealth] => [
          row.id,
          {
            disabled_reason: row.disabled_reason as DisabledReason | null,
            disabled_at: isoOrNull(row.disabled_at),
            failing_since: isoOrNull(row.failing_since),
            paused_until: (row.paused_until ?? 0) > time ? isoOrNull(row.paused_until) : null,
          },
        ]),
      );
      return webhookIds.map((id) => byId.get(id) ?? null);
    },

    async createTrigger({ caller }, request) {
      const id = await insertWebhook(context, caller, request, {
        type: 'TRIGGER',
        source: null,
        data: '[]',
        events: '[]',
        trigger: JSON.stringify(request.trigger),
      });
      return { object: 'WebhookCreated', webhook_id: id };
    },

    async update({ caller }, request) {
      const { webhook_id } = request;
      const webhook = await requireWebhook(database, caller, webhook_id);
      requireFit(webhook, request);
      if (request.request_url !== undefined) requireTarget(allows, request.request_url);
      const accountIds = request.account_ids && [...new Set(request.account_ids)];
      if (accountIds !== undefined) await requireAccounts(database, caller, accountIds);
      const all = webhook.source === null ? [] : webhookSources[webhook.source as WebhookSource].events;
      const changes: Partial<WebhookTable> = {
        ...(request.request_url === undefined ? {} : { request_url: request.request_url }),
        ...(request.name === undefined ? {} : { name: request.name }),
        ...(request.format === undefined ? {} : { format: request.format }),
        ...(accountIds === undefined ? {} : { account_ids: JSON.stringify(accountIds) }),
        ...(request.headers === undefined ? {} : { headers: sealHeaders(vault, webhook_id, request.headers) }),
        ...(request.data === undefined ? {} : { data: JSON.stringify(request.data) }),
        ...(request.events === undefined
          ? {}
          : { events: JSON.stringify(request.events.length === 0 ? all : [...new Set(request.events)]) }),
      };
      if (Object.keys(changes).length > 0) {
        await database.updateTable('webhooks').set(changes).where('id', '=', webhook_id).execute();
      }
      return { object: 'WebhookUpdated', webhook_id };
    },

    async setEnabled({ caller }, { webhook_id, enabled }) {
      await requireWebhook(database, caller, webhook_id);
      await database.transaction().execute(async (transaction) => {
        await endpointOf(transaction, webhook_id);
        if (!enabled) return disableWebhook(transaction, webhook_id, 'caller', now().getTime());
        await transaction.updateTable('webhooks').set({ enabled: 1 }).where('id', '=', webhook_id).execute();
        await transaction
          .updateTable('endpoints')
          .set({ disabled_reason: null, disabled_at: null, failing_since: null, paused_until: 0 })
          .where('webhook_id', '=', webhook_id)
          .execute();
      });
      return { object: 'WebhookUpdated', webhook_id };
    },

    async rotateSecret({ caller }, { webhook_id }) {
      await requireWebhook(database, caller, webhook_id);
      return database.transaction().execute(async (transaction) => {
        const time = now().getTime();
        await endpointOf(transaction, webhook_id);
        // Changing the row makes another rotation wait, which then sees this one's secret.
        const endpoint = await transaction
          .updateTable('endpoints')
          .set({ secret_shown: 1 })
          .where('webhook_id', '=', webhook_id)
          .returningAll()
          .executeTakeFirstOrThrow();
        const secrets = openSecrets(vault, endpoint);
        if (validSecrets(secrets, time).length >= maxSecrets) {
          throw new ServiceError('limit_too_high', {
            detail: `${maxSecrets} secrets are valid at this moment: wait until the oldest has expired.`,
          });
        }
        const next = rotated(secrets, time, randomBytes);
        await transaction
          .updateTable('endpoints')
          .set({ secrets: sealSecrets(vault, webhook_id, next) })
          .where('webhook_id', '=', webhook_id)
          .execute();
        return { object: 'WebhookSecretRotated', webhook_id, secret: secretText(next[0]) };
      });
    },

    async showSecret({ caller }, { webhook_id }) {
      await requireWebhook(database, caller, webhook_id);
      return database.transaction().execute(async (transaction) => {
        const endpoint = await endpointOf(transaction, webhook_id);
        // Whoever changes the row has the one look; others wait for it and find the row changed.
        const { numUpdatedRows } = await transaction
          .updateTable('endpoints')
          .set({ secret_shown: 1 })
          .where('webhook_id', '=', webhook_id)
          .where('secret_shown', '=', 0)
          .executeTakeFirst();
        const [secret] = openSecrets(vault, endpoint);
        if (numUpdatedRows === 0n || secret === undefined) {
          throw new ServiceError('action_already_performed', {
            detail: 'The secret has been shown before: rotate it to get a new one.',
          });
        }
        return { object: 'WebhookSecretShown', webhook_id, secret: secretText(secret) };
      });
    },
  };
}

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());

/** A webhook keeps its source: what is changed must fit it. */
function requireFit(webhook: WebhookTable, { source, events = [], data = [] }: WebhookUpdate): void {
  const own = webhook.source as WebhookSource | null;
  const known: { events: readonly string[]; keys: readonly string[] } =
    own === null ? { events: [], keys: [] } : webhookSources[own];
  const issues = [
    ...(source === undefined || source === own
      ? []
      : [{ path: ['source'], message: `must be ${own ?? 'left out'}: a webhook keeps its source` }]),
    ...events.flatMap((event, index) =>
      known.events.includes(event) ? [] : [{ path: ['events', index], message: 'is not an event of the source' }],
    ),
    ...data.flatMap(({ key }, index) =>
      known.keys.includes(key) ? [] : [{ path: ['data', index, 'key'], message: 'is not a key of the source' }],
    ),
  ];
  if (issues.length === 0) return;
  throw invalidParameters(issues);
}
