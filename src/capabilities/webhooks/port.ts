import type { PageSource } from '../../kernel/page-source.ts';
import type { ListSize, Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { WebhookFilter, WebhookSearch } from './filter.ts';
import type {
  ListedWebhook,
  TriggerCreate,
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookDelete,
  WebhookDeleted,
  WebhookHealth,
  WebhookId,
  WebhookList,
  WebhookSecret,
  WebhookUpdate,
  WebhookUpdated,
} from './shapes.ts';

/**
 * Requests have passed their shape. A limited key has `account_mismatch` for commands on webhooks of other accounts,
 * and reads what visibility.ts decides.
 */
export interface WebhooksPort {
  /** Whether a short page may not be the last, as the list is filtered after it is read. */
  readonly hasShortPages: boolean;
  /** Oldest first: 1 to 250, by default 100, or fewer. @throws ServiceError `account_mismatch` beyond the key */
  list(context: RequestContext, request: WebhookSearch): Promise<WebhookList>;
  /**
   * Pages of any size in bytes, in the order of the requests; an error for each that cannot be read. Of a service, the
   * longest page for each place in a list is read, so that a page may be longer than requested.
   */
  lists(context: RequestContext, requests: readonly WebhookSearch[]): Promise<(Page<ListedWebhook> | Error)[]>;
  /** {@link lists} as JSON, unless the backend's have other words. */
  readonly pages?: PageSource<WebhookSearch, Page<ListedWebhook>>;
  /** In the order of the ids: null if the key cannot see it, an error if it cannot be looked up. */
  find(context: RequestContext, webhookIds: readonly string[]): Promise<(ListedWebhook | Error | null)[]>;
  /** {@link find} as JSON, where that is one read. */
  readonly found?: PageSource<string, Page<ListedWebhook>>;
  /** {@link find} with their large parts. */
  whole(context: RequestContext, webhookIds: readonly string[]): Promise<(Webhook | Error | null)[]>;
  /**
   * Subscribes to one source, with a signing secret.
   * @throws ServiceError `invalid_url` for a forbidden address, `resource_not_found` for an unknown account,
   * `account_mismatch` beyond the key
   */
  create(context: RequestContext, request: WebhookCreate): Promise<WebhookCreated>;
  /** Its deliveries stop. @throws ServiceError `resource_not_found` */
  delete(context: RequestContext, request: WebhookDelete): Promise<WebhookDeleted>;

  // Additions to the contract. An upstream service does not serve them.

  /** Sizes in the order of the filters, up to `maxTotalCount`; an error for each that cannot be counted. */
  counts(context: RequestContext, filters: readonly WebhookFilter[]): Promise<(ListSize | Error)[]>;
  /** Creates a TRIGGER webhook, with a signing secret. Fails as `create` does. */
  createTrigger(context: RequestContext, request: TriggerCreate): Promise<WebhookCreated>;
  /**
   * Changes present fields. Deliveries to a disabled webhook are held.
   * @throws as `create`; ServiceError `invalid_parameters` for events and keys of another source, and for notices to a
   * webhook that does not listen to all accounts of the workspace
   */
  update(context: RequestContext, request: WebhookUpdate): Promise<WebhookUpdated>;
  /** The previous one stays valid for 24 hours. @throws ServiceError `limit_too_high` with too many valid ones */
  rotateSecret(context: RequestContext, request: WebhookId): Promise<WebhookSecret>;
  /** Shown once. @throws ServiceError `action_already_performed` when it has been shown before */
  showSecret(context: RequestContext, request: WebhookId): Promise<WebhookSecret>;
  /** In the order of the webhooks; null for each that the key may not manage. */
  health(context: RequestContext, webhookIds: readonly string[]): Promise<(WebhookHealth | null)[]>;
}
