import type { Call } from '../call.ts';
import type { Page } from '../paging.ts';
import type {
  AttemptListRequest,
  DeliveriesReplayed,
  Delivery,
  DeliveryAttempt,
  DeliveryListRequest,
  DeliveryScheduled,
  EmitEvent,
  EventEmitted,
  FireTrigger,
  Replay,
  TriggerCreate,
  WebhookHealth,
  WebhookSecret,
  WebhookUpdate,
  WebhookUpdated,
} from './deliveries.ts';
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

/** What webhooks can do beyond the contract: being changed and fired, and all about their deliveries. */
export interface DeliveriesPort {
  /** One page of the deliveries of a webhook, the newest first. */
  list(call: Call, request: DeliveryListRequest): Promise<Page<Delivery>>;
  /** The deliveries with these ids, in their order; null for each that does not exist. */
  find(call: Call, deliveryIds: readonly string[]): Promise<(Delivery | null)[]>;
  /** One page of the attempts of a delivery, the first one first. */
  attempts(call: Call, request: AttemptListRequest): Promise<Page<DeliveryAttempt>>;
  /** How the endpoints of these webhooks are doing, in their order. */
  health(call: Call, webhookIds: readonly string[]): Promise<(WebhookHealth | null)[]>;
  /** Deliveries as they are made and as something comes of them, until the call is no longer wanted. */
  watch(call: Call, request: { readonly webhook_id?: string | undefined }): Promise<AsyncGenerator<Delivery>>;
  /** Reports an event of an account. It is stored, with its deliveries, before this resolves. */
  emit(call: Call, request: EmitEvent): Promise<EventEmitted>;
  /** Fires a TRIGGER webhook. */
  fireTrigger(call: Call, request: FireTrigger): Promise<EventEmitted>;
  /** Sends a sample event to one webhook. */
  sendTest(
    call: Call,
    request: { readonly webhook_id: string; readonly event?: string | undefined },
  ): Promise<EventEmitted>;
  /** Sends a finished or held delivery once more. */
  redeliver(call: Call, request: { readonly delivery_id: string }): Promise<DeliveryScheduled>;
  /** Sends the deliveries of a webhook once more that are in a state and were made in a time. */
  replay(call: Call, request: Replay): Promise<DeliveriesReplayed>;
  /** Makes a TRIGGER webhook. */
  createTrigger(call: Call, request: TriggerCreate): Promise<WebhookCreated>;
  /** Changes the fields of a webhook that are given. */
  update(call: Call, request: WebhookUpdate): Promise<WebhookUpdated>;
  /** Holds or lets through what goes to a webhook. */
  setEnabled(call: Call, request: { readonly webhook_id: string; readonly enabled: boolean }): Promise<WebhookUpdated>;
  /** Makes a new signing secret. The former one signs too for 24 hours. */
  rotateSecret(call: Call, request: { readonly webhook_id: string }): Promise<WebhookSecret>;
  /** The signing secret; once. */
  showSecret(call: Call, request: { readonly webhook_id: string }): Promise<WebhookSecret>;
}
