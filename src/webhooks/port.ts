import type { Call } from '../call.ts';
import type {
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookDeleted,
  WebhookList,
  WebhookListRequest,
} from './shapes.ts';

/** What can be done with webhooks. Requests have passed their shape; every failure is a ServiceError. */
export interface WebhooksPort {
  /** One page of the webhooks of the workspace, AUTO and TRIGGER, oldest first: 1 to 250, 100 unless `limit` says otherwise. */
  list(call: Call, request: WebhookListRequest): Promise<WebhookList>;
  /** The webhooks with these ids, in their order; null for each that does not exist, an error for one that cannot be looked for. */
  find(call: Call, webhookIds: readonly string[]): Promise<(Webhook | Error | null)[]>;
  /** Makes a webhook for the events of one source. */
  create(call: Call, request: WebhookCreate): Promise<WebhookCreated>;
  /** Deletes a webhook for good; deliveries for it stop. */
  delete(call: Call, request: { readonly id: string }): Promise<WebhookDeleted>;
}
