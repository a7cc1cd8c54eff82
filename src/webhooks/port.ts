import type { RequestContext } from '../request-context.ts';
import type {
  TriggerCreate,
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookDelete,
  WebhookDeleted,
  WebhookHealth,
  WebhookId,
  WebhookList,
  WebhookListRequest,
  WebhookSecret,
  WebhookSetEnabled,
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
   * Whether a page for a key that is limited to accounts may have fewer webhooks than requested although others follow,
   * because the list is read before it is filtered.
   */
  readonly hasShortPages: boolean;
  /** One page of the AUTO and TRIGGER webhooks that the key can see, oldest first: 1 to 250, 100 by default. */
  list(context: RequestContext, request: WebhookListRequest): Promise<WebhookList>;
  /** The webhooks with these ids, in their order: null if the key cannot see it, an error if it cannot be looked up. */
  find(context: RequestContext, webhookIds: readonly string[]): Promise<(Webhook | Error | null)[]>;
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
