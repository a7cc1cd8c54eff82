import { requireAccount, requireNamedAccounts } from '../auth/account-access.ts';
import { ServiceError } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { pageOf, type Upstream, unsupported } from '../upstream/client.ts';
import { webhookEndpoints } from './endpoints.ts';
import { hiddenValue } from './headers.ts';
import type { WebhooksPort } from './port.ts';
import { type Webhook, type WebhookList, type WebhookListRequest, webhookLimits } from './shapes.ts';

const changeWebhooks = 'change webhooks';
const readSecrets = 'read the secrets of webhooks';
const readDeliveries = 'read deliveries';

/** The contract cannot read a single webhook: at most this many full pages of the list are read to find it. */
const maxPages = 10;
const pageLimit = webhookLimits.limit.max;

/** Webhooks of a remote service. */
export function upstreamWebhooks(upstream: Upstream): WebhooksPort {
  async function list(context: RequestContext, request: WebhookListRequest): Promise<WebhookList> {
    const { items, cursor } = pageOf(await upstream.call(context, webhookEndpoints.list, request));
    const mayChange = context.caller.scopes.has('webhooks:write');
    return { object: 'WebhookList', items: mayChange ? items : items.map(hideHeaders), cursor };
  }

  return {
    list,
    async find(context, webhookIds) {
      const found = new Map<string, Webhook>();
      let cursor: string | null | undefined;
      for (let page = 0; page < maxPages && cursor !== null && !webhookIds.every((id) => found.has(id)); page += 1) {
        const read = await list(context, { limit: pageLimit, ...(cursor === undefined ? {} : { cursor }) });
        for (const webhook of read.items) if (typeof webhook?.id === 'string') found.set(webhook.id, webhook);
        cursor = read.cursor;
      }
      const missing =
        cursor === null
          ? null
          : new ServiceError('limit_too_high', {
              detail: `The webhook is not among the first ${maxPages * pageLimit}. Page through the list to find it.`,
            });
      return webhookIds.map((id) => found.get(id) ?? missing);
    },
    async create(context, request) {
      const accountIds = request.account_ids ?? [];
      requireNamedAccounts(context.caller, accountIds);
      for (const id of accountIds) requireAccount(context.caller, id);
      return upstream.call(context, webhookEndpoints.create, request);
    },
    delete: (context, request) => upstream.call(context, webhookEndpoints.delete, request),
    createTrigger: unsupported(changeWebhooks),
    update: unsupported(changeWebhooks),
    setEnabled: unsupported(changeWebhooks),
    rotateSecret: unsupported(readSecrets),
    showSecret: unsupported(readSecrets),
    health: unsupported(readDeliveries),
  };
}

/** A webhook as keys without `webhooks:write` see it. An odd one is left to whatever reads it. */
function hideHeaders(webhook: Webhook): Webhook {
  if (!Array.isArray(webhook?.headers)) return webhook;
  return { ...webhook, headers: webhook.headers.map((header) => ({ key: header?.key, value: hiddenValue })) };
}
