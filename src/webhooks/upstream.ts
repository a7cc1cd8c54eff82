import { accountTypes } from '../auth/account.ts';
import { requireAccount, requireNamedAccounts } from '../auth/account-access.ts';
import { ServiceError } from '../errors.ts';
import { webhookDataKeys, webhookEvents, webhookSourceNames } from '../events/sources.ts';
import type { RequestContext } from '../request-context.ts';
import { type Endpoint, notServed, pageOf, type Upstream } from '../upstream/client.ts';
import { hiddenValue } from './headers.ts';
import type { WebhooksPort } from './port.ts';
import {
  triggerContexts,
  triggerIcons,
  type Webhook,
  type WebhookCreated,
  type WebhookDeleted,
  type WebhookList,
  type WebhookListRequest,
  webhookFormats,
  webhookLimits,
  webhookTypes,
} from './shapes.ts';

/** The contract's terms in this capability that an upstream service may spell differently. */
export const webhookVocabularies = {
  webhook_objects: ['WebhookList', 'Webhook', 'WebhookCreated', 'WebhookDeleted'],
  webhook_types: webhookTypes,
  webhook_formats: webhookFormats,
  webhook_sources: webhookSourceNames,
  webhook_events: webhookEvents,
  webhook_data_keys: webhookDataKeys,
  account_types: accountTypes,
  trigger_icons: triggerIcons,
  trigger_contexts: triggerContexts,
} as const;

const common = { capability: 'webhooks', malformedId: 'invalid_resource_identifier', refusesFor: 'key' } as const;

const endpoints = {
  list: {
    ...common,
    method: 'GET',
    path: '/v1/webhooks',
    answers: ['WebhookList'],
    reads: {
      object: 'webhook_objects',
      'items.*.object': 'webhook_objects',
      'items.*.type': 'webhook_types',
      'items.*.format': 'webhook_formats',
      'items.*.account_ids.*.type': 'account_types',
      'items.*.data.*.key': 'webhook_data_keys',
      'items.*.events.*': 'webhook_events',
      'items.*.trigger.icon': 'trigger_icons',
      'items.*.trigger.context': 'trigger_contexts',
    },
    writes: {},
  },
  create: {
    ...common,
    method: 'POST',
    path: '/v1/webhooks',
    answers: ['WebhookCreated'],
    reads: { object: 'webhook_objects' },
    writes: {
      source: 'webhook_sources',
      format: 'webhook_formats',
      'events.*': 'webhook_events',
      'data.*.key': 'webhook_data_keys',
    },
  },
  delete: {
    ...common,
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    answers: ['WebhookDeleted'],
    reads: { object: 'webhook_objects' },
    writes: {},
  },
} as const satisfies Record<string, Endpoint>;

const changeWebhooks = 'change webhooks';
const readSecrets = 'read the secrets of webhooks';
const readDeliveries = 'read deliveries';

/** The contract has no endpoint that reads one webhook, so the list is searched, up to this many full pages. */
const maxPages = 10;

/** Webhooks of a remote service. */
export function upstreamWebhooks(upstream: Upstream): WebhooksPort {
  async function list(context: RequestContext, query: WebhookListRequest): Promise<WebhookList> {
    const { items, cursor } = pageOf<Webhook>(await upstream.call(context, endpoints.list, { query }));
    return {
      object: 'WebhookList',
      items: context.caller.scopes.has('webhooks:write') ? items : items.map(hide),
      cursor,
    };
  }

  return {
    list,
    async find(context, webhookIds) {
      const found = new Map<string, Webhook>();
      let cursor: string | null | undefined;
      for (let page = 0; page < maxPages && cursor !== null && !webhookIds.every((id) => found.has(id)); page += 1) {
        const { limit } = webhookLimits;
        const read = await list(context, cursor === undefined ? { limit: limit.max } : { limit: limit.max, cursor });
        for (const webhook of read.items) if (typeof webhook?.id === 'string') found.set(webhook.id, webhook);
        cursor = read.cursor;
      }
      const missing =
        cursor === null
          ? null
          : new ServiceError('limit_too_high', {
              detail: `The webhook is not among the first ${maxPages * webhookLimits.limit.max}: find it in the list.`,
            });
      return webhookIds.map((id) => found.get(id) ?? missing);
    },
    async create(context, body) {
      requireNamedAccounts(context.caller, body.account_ids ?? []);
      for (const id of body.account_ids ?? []) requireAccount(context.caller, id);
      return upstream.call<WebhookCreated>(context, endpoints.create, { body });
    },
    delete: (context, { id }) => upstream.call<WebhookDeleted>(context, endpoints.delete, { ids: { id } }),
    createTrigger: notServed(changeWebhooks),
    update: notServed(changeWebhooks),
    setEnabled: notServed(changeWebhooks),
    rotateSecret: notServed(readSecrets),
    showSecret: notServed(readSecrets),
    health: notServed(readDeliveries),
  };
}

/** A webhook without its header values, for API keys without `webhooks:write`. A malformed one stays as it is. */
function hide(webhook: Webhook): Webhook {
  if (!Array.isArray(webhook?.headers)) return webhook;
  return { ...webhook, headers: webhook.headers.map((header) => ({ key: header?.key, value: hiddenValue })) };
}
