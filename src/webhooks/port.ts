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

/** The webhook registry. Requests have passed their shape; every failure is a ServiceError. */
export interface WebhooksPort {
  /** One page of the webhooks of the workspace, AUTO and TRIGGER, oldest first: 1 to 250, 100 by default. */
  list(context: RequestContext, request: WebhookListRequest): Promise<WebhookList>;
  /** The webhooks with these ids, in their order; null for each that does not exist, an error for one that cannot be looked up. */
  find(context: RequestContext, webhookIds: readonly string[]): Promise<(Webhook | Error | null)[]>;
  /** Creates a webhook for the events of one source, with a signing secret. */
  create(context: RequestContext, request: WebhookCreate): Promise<WebhookCreated>;
  /** Deletes a webhook permanently; its deliveries stop. */
  delete(context: RequestContext, request: WebhookDelete): Promise<WebhookDeleted>;

  // Additions to the contract. An upstream service does not serve them.

  /** Creates a TRIGGER webhook, with a signing secret. */
  createTrigger(context: RequestContext, request: TriggerCreate): Promise<WebhookCreated>;
  /** Updates the fields of a webhook that are present. */
  update(context: RequestContext, request: WebhookUpdate): Promise<WebhookUpdated>;
  /** Enables or disables a webhook. Deliveries to a disabled webhook are held. */
  setEnabled(context: RequestContext, request: WebhookSetEnabled): Promise<WebhookUpdated>;
  /** Creates a new signing secret. The previous one stays valid for 24 hours. */
  rotateSecret(context: RequestContext, request: WebhookId): Promise<WebhookSecret>;
  /** Returns the signing secret, once. */
  showSecret(context: RequestContext, request: WebhookId): Promise<WebhookSecret>;
  /** How the destinations of these webhooks are doing, in their order; null for each that does not exist. */
  health(context: RequestContext, webhookIds: readonly string[]): Promise<(WebhookHealth | null)[]>;
}
