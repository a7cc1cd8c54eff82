import { type Caller, requireAccount, requireManaging, requireNamedAccounts } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import type { PageSource } from '../../kernel/page-source.ts';
import { readLongest } from '../../kernel/paging.ts';
import { onlyWith } from '../../kernel/ports.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import { pageOf, type Upstream } from '../../upstream/client.ts';
import { webhookEndpoints } from './endpoints.ts';
import { fits, isFilter, type WebhookFilter, type WebhookSearch, webhookListScope } from './filter.ts';
import type { WebhooksPort } from './port.ts';
import { type Webhook, type WebhookList, type WebhookListRequest, webhookLimits } from './shapes.ts';
import { shownTo } from './visibility.ts';

/** Full pages read to find a webhook, as the contract reads no single one. */
export const maxPages = 10;
const pageSize = webhookLimits.limit.max;

export function upstreamWebhooks(upstream: Upstream): WebhooksPort {
  const read = async (context: RequestContext, query: WebhookListRequest) => {
    const { items, cursor } = pageOf(await upstream.call(context, webhookEndpoints.list, query));
    return { items: items.map(withEveryPart), cursor };
  };

  /** Before visibility. @returns by id; null for a missing one, an error for one that may be beyond the search */
  async function search(
    context: RequestContext,
    webhookIds: readonly string[],
  ): Promise<(Webhook | ServiceError | null)[]> {
    const found = new Map<string, Webhook>();
    let cursor: string | null | undefined;
    for (let page = 0; page < maxPages && cursor !== null && !webhookIds.every((id) => found.has(id)); page += 1) {
      const { items, cursor: next } = await read(context, { limit: pageSize, cursor });
      for (const webhook of items) if (typeof webhook?.id === 'string') found.set(webhook.id, webhook);
      cursor = next;
    }
    const missing =
      cursor === null
        ? null
        : new ServiceError('limit_too_high', {
            detail: `The webhook is not among the first ${maxPages * pageSize}. Page through the list to find it.`,
          });
    return webhookIds.map((id) => found.get(id) ?? missing);
  }

  // The contract's list has no filters. Here they miss nothing: a short page says that others follow.
  const list: WebhooksPort['list'] = async (context, { limit, cursor, ...filter }) => {
    if (filter.account_id !== undefined) requireAccount(context.caller, filter.account_id);
    const page = await read(context, { limit, cursor });
    const items = page.items.flatMap((item) => itemFor(context.caller, filter, item));
    return { object: 'WebhookList', items, cursor: page.cursor };
  };

  const find: WebhooksPort['whole'] = async (context, webhookIds) => {
    const found = await search(context, webhookIds);
    return found.map((webhook) =>
      webhook === null || webhook instanceof Error ? webhook : shownTo(context.caller, webhook, listenedBy(webhook)),
    );
  };

  const lists: WebhooksPort['lists'] = (context, requests) =>
    readLongest(
      requests.map((request) => ({ ...request, limit: request.limit ?? webhookLimits.limit.default })),
      placeOfSearch,
      (request) => list(context, request),
    );

  const port = onlyWith<WebhooksPort>({
    hasShortPages: true,
    list,
    lists,
    find,
    whole: find,
    async create(context, request) {
      const accountIds = request.account_ids ?? [];
      requireNamedAccounts(context.caller, accountIds);
      for (const id of accountIds) requireAccount(context.caller, id);
      return upstream.call(context, webhookEndpoints.create, request);
    },
    async delete(context, { id }) {
      // The service judges the one key of all callers: the gateway decides what this caller's may delete.
      if (context.caller.accountIds !== null) {
        const [webhook] = await search(context, [id]);
        if (webhook instanceof Error) throw webhook;
        if (webhook == null) throw new ServiceError('resource_not_found', { detail: 'No webhook has this id.' });
        requireManaging(context.caller, listenedBy(webhook));
      }
      return upstream.call(context, webhookEndpoints.delete, { id });
    },
  });
  return upstream.isTranslated(webhookEndpoints.list) ? port : { ...port, pages: webhookPages(upstream) };
}

/** Place of a page in its list, which is the one that the page's cursors are bound to. */
const placeOfSearch = (page: WebhookSearch): string => JSON.stringify([webhookListScope(page), page.cursor]);

const webhookPages = (upstream: Upstream): PageSource<WebhookSearch, WebhookList> => ({
  items: 'items',
  joins: true,
  metadata: { object: 'leaf', cursor: 'leaf' },
  differs({ accountIds }, request) {
    if (accountIds !== null) return 'a key that is limited to accounts';
    return isFilter(request) ? 'a filter' : undefined;
  },
  read: (context, requests) =>
    Promise.all(
      requests.map(({ limit, cursor }) =>
        upstream.read(context, webhookEndpoints.list, { limit, cursor }).then(({ body }) => body),
      ),
    ),
  page(metadata) {
    if (!isWebhookList(metadata))
      throw new ServiceError('provider_error', { detail: 'The response is not a list of webhooks.' });
    return { object: 'WebhookList', ...pageOf(metadata) };
  },
});

const isWebhookList = (metadata: object): metadata is WebhookList =>
  'object' in metadata && metadata.object === 'WebhookList';

/** A part that the service leaves out is nowhere else: whoever looks for it by itself would read the list again. */
const withEveryPart = (item: Webhook): Webhook => (isObject(item) ? { ...absentParts, ...(item as Webhook) } : item);

const absentParts = { account_ids: undefined, headers: undefined, data: undefined };

/** As the caller may see it, or nothing; faces report items that are no webhook. */
function itemFor(caller: Caller, filter: WebhookFilter, item: Webhook): Webhook[] {
  if (typeof item !== 'object' || item === null) return caller.accountIds === null ? [item] : [];
  const accountIds = listenedBy(item);
  const webhook = shownTo(caller, item, accountIds);
  return webhook !== null && fits(filter, webhook, accountIds) ? [webhook] : [];
}

/** An unreadable list counts as one of an account that nobody has. */
function listenedBy({ account_ids }: Webhook): string[] {
  const ids = Array.isArray(account_ids) ? account_ids.map((account) => account?.id) : [undefined];
  return ids.map((id) => (typeof id === 'string' ? id : ''));
}
