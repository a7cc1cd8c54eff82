import type { Page } from '../../kernel/paging.ts';
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
  WebhookSetEnabled,
  WebhookSetNotices,
  WebhookUpdate,
  WebhookUpdated,
} from './shapes.ts';

/**
 * The webhook registry. Requests have passed their shape; every failure is a ServiceError. A key that is limited to
 * accounts manages the webhooks that listen to no other account: whatever takes the id of a webhook and is not a read
 * fails with `account_mismatch` for any other. What it may see of those, visibility.ts decides.
 */
export interface WebhooksPort {
  /**
   * Whether a page may have fewer webhooks than requested although others follow, because the list is read before it is
   * filtered: by the accounts that a key is limited to, and by the filters of the request.
   */
  readonly hasShortPages: boolean;
  /**
   * One page of the AUTO and TRIGGER webhooks that the key can see, oldest first: 1 to 250, 100 by default. It has fewer
   * where they are large.
   * @throws ServiceError `account_mismatch` when `account_id` is of an account that the key may not act for
   */
  list(context: RequestContext, request: WebhookSearch): Promise<WebhookList>;
  /** Several pages as of `list`, whatever their size, in the order of the requests; an error for each that cannot be read. */
  lists(context: RequestContext, requests: readonly WebhookSearch[]): Promise<(Page<ListedWebhook> | Error)[]>;
  /** The webhooks with these ids, in their order: null if the key cannot see it, an error if it cannot be looked up. */
  find(context: RequestContext, webhookIds: readonly string[]): Promise<(ListedWebhook | Error | null)[]>;
  /** {@link find} with their large parts. */
  whole(context: RequestContext, webhookIds: readonly string[]): Promise<(Webhook | Error | null)[]>;
  /**
   * Creates a webhook for the events of one source, with a signing secret.
   * @throws ServiceError `invalid_url` when deliveries may not go to `request_url`
   * @throws ServiceError `resource_not_found` when the workspace has no account with one of the ids
   * @throws ServiceError `account_mismatch` when the key may not act for one of the accounts
   */
  create(context: RequestContext, request: WebhookCreate): Promise<WebhookCreated>;
  /**
   * Deletes a webhook permanently; its deliveries stop.
   * @throws ServiceError `resource_not_found` when the webhook does not exist in the workspace
   */
  delete(context: RequestContext, request: WebhookDelete): Promise<WebhookDeleted>;

  // Additions to the contract. An upstream service does not serve them.

  /**
   * The sizes of lists, in the order of their filters; `maxTotalCount` stands for any larger one. An error for each that
   * cannot be counted.
   */
  counts(context: RequestContext, filters: readonly WebhookFilter[]): Promise<(number | Error)[]>;
  /** Creates a TRIGGER webhook, with a signing secret. Fails as `create` does. */
  createTrigger(context: RequestContext, request: TriggerCreate): Promise<WebhookCreated>;
  /**
   * Updates the fields of a webhook that are present. Fails as `create` does.
   * @throws ServiceError `invalid_parameters` when `source`, `events` or `data` do not fit the webhook
   */
  update(context: RequestContext, request: WebhookUpdate): Promise<WebhookUpdated>;
  /** Enables or disables a webhook. Deliveries to a disabled webhook are held. */
  setEnabled(context: RequestContext, request: WebhookSetEnabled): Promise<WebhookUpdated>;
  /**
   * Sets whether a webhook is notified when the gateway disables another one of its workspace.
   * @throws ServiceError `invalid_parameters` when it does not listen to all accounts of the workspace
   */
  setNotices(context: RequestContext, request: WebhookSetNotices): Promise<WebhookUpdated>;
  /**
   * Creates a new signing secret. The previous one stays valid for 24 hours.
   * @throws ServiceError `limit_too_high` when too many secrets are still valid
   */
  rotateSecret(context: RequestContext, request: WebhookId): Promise<WebhookSecret>;
  /**
   * Returns the signing secret, once.
   * @throws ServiceError `action_already_performed` when it has been shown before
   */
  showSecret(context: RequestContext, request: WebhookId): Promise<WebhookSecret>;
  /** The health of these webhooks' destinations, in their order; null for each that the key may not manage. */
  health(context: RequestContext, webhookIds: readonly string[]): Promise<(WebhookHealth | null)[]>;
}
