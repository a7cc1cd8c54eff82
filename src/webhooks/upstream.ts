import { accountTypes } from '../auth/account.ts';
import { requireAccount, requireManaging, requireNamedAccounts } from '../auth/account-access.ts';
import type { Caller } from '../auth/caller.ts';
import { ServiceError } from '../errors.ts';
import { webhookDataKeys, webhookEvents, webhookSourceNames } from '../events/sources.ts';
import type { RequestContext } from '../request-context.ts';
import { type Endpoint, notServed, pageOf, type Upstream } from '../upstream/client.ts';
import type { WebhooksPort } from './port.ts';
import {
  triggerContexts,
  triggerIcons,
  type Webhook,
  type WebhookCreated,
  type WebhookDeleted,
  type WebhookListRequest,
  webhookFormats,
  webhookLimits,
  webhookTypes,
} from './shapes.ts';
import { shownTo } from './visibility.ts';

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
  const read = async (context: RequestContext, query: WebhookListRequest) =>
    pageOf<Webhook>(await upstream.call(context, endpoints.list, { query }));

  /**
   * Searches the list for webhooks, as the service has them: what of them is shown is still to be decided.
   * @returns in the order of the ids; null for one that does not exist, an error for one that may be beyond the search
   */
  async function search(
    context: RequestContext,
    webhookIds: readonly string[],
  ): Promise<(Webhook | ServiceError | null)[]> {
    const found = new Map<string, Webhook>();
    let cursor: string | null | undefined;
    for (let page = 0; page < maxPages && cursor !== null && !webhookIds.every((id) => found.has(id)); page += 1) {
      const { limit } = webhookLimits;
      const query = cursor === undefined ? { limit: limit.max } : { limit: limit.max, cursor };
      const { items, cursor: next } = await read(context, query);
      for (const webhook of items) if (typeof webhook?.id === 'string') found.set(webhook.id, webhook);
      cursor = next;
    }
    const missing =
      cursor === null
        ? null
        : new ServiceError('limit_too_high', {
            detail: `The webhook is not among the first ${maxPages * webhookLimits.limit.max}: find it in the list.`,
          });
    return webhookIds.map((id) => found.get(id) ?? missing);
  }

  return {
    hasShortPages: true,
    async list(context, query) {
      const { items, cursor } = await read(context, query);
      return { object: 'WebhookList', items: items.flatMap((item) => itemFor(context.caller, item)), cursor };
    },
    async find(context, webhookIds) {
      const found = await search(context, webhookIds);
      return found.map((webhook) =>
        webhook === null || webhook instanceof Error ? webhook : shownTo(context.caller, webhook, listenedBy(webhook)),
      );
    },
    async create(context, body) {
      requireNamedAccounts(context.caller, body.account_ids ?? []);
      for (const id of body.account_ids ?? []) requireAccount(context.caller, id);
      return upstream.call<WebhookCreated>(context, endpoints.create, { body });
    },
    async delete(context, { id }) {
      // The service judges the one key that all callers share: what this caller's key may delete is for the gateway to say.
      if (context.caller.accountIds !== null) {
        const [webhook] = await search(context, [id]);
        if (webhook instanceof Error) throw webhook;
        if (webhook == null) throw new ServiceError('resource_not_found', { detail: 'No webhook has this id.' });
        requireManaging(context.caller, listenedBy(webhook));
      }
      return upstream.call<WebhookDeleted>(context, endpoints.delete, { ids: { id } });
    },
    createTrigger: notServed(changeWebhooks),
    update: notServed(changeWebhooks),
    setEnabled: notServed(changeWebhooks),
    rotateSecret: notServed(readSecrets),
    showSecret: notServed(readSecrets),
    health: notServed(readDeliveries),
  };
}

/** An item of the list as the caller may see it, or nothing. What is no webhook at all is the face's to report. */
function itemFor(caller: Caller, item: Webhook): Webhook[] {
  if (typeof item !== 'object' || item === null) return caller.accountIds === null ? [item] : [];
  const webhook = shownTo(caller, item, listenedBy(item));
  return webhook === null ? [] : [webhook];
}

/** The accounts of a webhook of the service. A list that cannot be read counts as one of an account that nobody has. */
function listenedBy({ account_ids }: Webhook): string[] {
  const ids = Array.isArray(account_ids) ? account_ids.map((account) => account?.id) : [undefined];
  return ids.map((id) => (typeof id === 'string' ? id : ''));
}
