import type { Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type {
  AttemptListRequest,
  DeliveriesRedelivered,
  Delivery,
  DeliveryAttempt,
  DeliveryFilter,
  DeliveryListRequest,
  DeliveryScheduled,
  EmitEvent,
  EventData,
  EventEmitted,
  FireTrigger,
  Redeliver,
  RedeliverAll,
  SendTestEvent,
  StatisticsRequest,
  Watch,
  WebhookBacklog,
  WebhookStatistics,
} from './shapes.ts';

/**
 * Account events and their deliveries, additions to the contract that only the embedded backend serves. Requests have
 * passed their shape; every failure is a ServiceError.
 */
export interface DeliveriesPort {
  /**
   * One page of the deliveries of a webhook, newest first: 1 to 250, 50 by default.
   * @throws ServiceError `account_mismatch` when `account_id` is of an account that the key may not act for
   */
  list(context: RequestContext, request: DeliveryListRequest): Promise<Page<Delivery>>;
  /** Several pages of `list`, in the order of the requests; an error for each that cannot be read. */
  lists(context: RequestContext, requests: readonly DeliveryListRequest[]): Promise<(Page<Delivery> | Error)[]>;
  /**
   * The sizes of lists, in the order of their filters; `maxTotalCount` stands for any larger one. An error for each that
   * cannot be counted.
   */
  counts(context: RequestContext, filters: readonly DeliveryFilter[]): Promise<(number | Error)[]>;
  /** The deliveries with these ids, in their order; null for each that the key cannot see. */
  find(context: RequestContext, deliveryIds: readonly string[]): Promise<(Delivery | null)[]>;
  /** The data of the events of these deliveries, in their order; null for each that the key cannot see. */
  data(context: RequestContext, deliveryIds: readonly string[]): Promise<(EventData | null)[]>;
  /**
   * One page of the attempts of a delivery, oldest first: 1 to 250, 50 by default.
   * @throws ServiceError `resource_not_found` when the key cannot see the delivery
   */
  attempts(context: RequestContext, request: AttemptListRequest): Promise<Page<DeliveryAttempt>>;
  /** The last attempts of the deliveries with these ids, in their order; null for each without one, or that the key cannot see. */
  lastAttempts(context: RequestContext, deliveryIds: readonly string[]): Promise<(DeliveryAttempt | null)[]>;
  /**
   * What became of the attempts to these webhooks over a period up to now, in their order; null for each that the key may
   * not manage.
   */
  statistics(context: RequestContext, request: StatisticsRequest): Promise<(WebhookStatistics | null)[]>;
  /** The deliveries of these webhooks that are pending or held, in their order; null for each that the key may not manage. */
  backlog(context: RequestContext, webhookIds: readonly string[]): Promise<(WebhookBacklog | null)[]>;
  /** Yields each delivery when it is created and whenever its state changes, until the context's signal aborts. */
  watch(context: RequestContext, request: Watch): Promise<AsyncGenerator<Delivery>>;
  /**
   * Reports an event of an account. Resolves once the event and its deliveries are stored.
   * @throws ServiceError `resource_not_found` when the account does not exist in the workspace
   * @throws ServiceError `invalid_parameters` when `data` has a key that the event's source does not have, or when the
   *   idempotency key was used for another event of the account
   */
  emit(context: RequestContext, request: EmitEvent): Promise<EventEmitted>;
  /**
   * Fires a TRIGGER webhook.
   * @throws ServiceError `resource_not_found` when the webhook or the account does not exist in the workspace
   * @throws ServiceError `invalid_parameters` when the webhook is disabled, is not a TRIGGER webhook, or has another
   *   context or other accounts
   */
  fireTrigger(context: RequestContext, request: FireTrigger): Promise<EventEmitted>;
  /**
   * Sends a sample event to one AUTO webhook.
   * @throws ServiceError `resource_not_found` when the webhook does not exist in the workspace
   * @throws ServiceError `invalid_parameters` when the webhook is disabled, is a TRIGGER webhook, or has a source
   *   without this event
   */
  sendTest(context: RequestContext, request: SendTestEvent): Promise<EventEmitted>;
  /**
   * Resends a delivery that has succeeded, failed or been held.
   * @throws ServiceError `resource_not_found` when the key cannot see the delivery
   * @throws ServiceError `invalid_parameters` when its webhook is disabled, or no longer listens to its account
   * @throws ServiceError `action_already_performed` when it is still pending
   */
  redeliver(context: RequestContext, request: Redeliver): Promise<DeliveryScheduled>;
  /**
   * Resends the deliveries of a webhook that are in the given state and were created in the given period, except those for
   * accounts that the webhook no longer listens to.
   * @throws ServiceError `resource_not_found` when the webhook does not exist in the workspace
   * @throws ServiceError `invalid_parameters` when the webhook is disabled
   */
  redeliverAll(context: RequestContext, request: RedeliverAll): Promise<DeliveriesRedelivered>;
}
