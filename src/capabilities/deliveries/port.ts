import type { PageSource } from '../../kernel/page-source.ts';
import type { ListSize, Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type {
  AccountEvent,
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
  EventListRequest,
  EventWatch,
  FireTrigger,
  Redeliver,
  RedeliverAll,
  SendTestEvent,
  StatisticsRequest,
  SummaryRequest,
  Watch,
  WebhookBacklog,
  WebhookStatistics,
  WebhookSummary,
} from './shapes.ts';

/** Additions to the contract: deliveries, and the events behind them. Requests have passed their shape. */
export interface DeliveriesPort {
  /** Pages of 1 to 250, by default 50. @throws ServiceError `account_mismatch` for an `account_id` beyond the key */
  list(context: RequestContext, request: DeliveryListRequest): Promise<Page<Delivery>>;
  /** Pages in the order of the requests; an error for each that cannot be read. */
  lists(context: RequestContext, requests: readonly DeliveryListRequest[]): Promise<(Page<Delivery> | Error)[]>;
  /** {@link lists} as JSON, where there are deliveries. */
  readonly pages?: PageSource<DeliveryListRequest, Page<Delivery>>;
  /** Sizes in the order of the filters, up to `maxTotalCount`; an error for each that cannot be counted. */
  counts(context: RequestContext, filters: readonly DeliveryFilter[]): Promise<(ListSize | Error)[]>;
  /** In the order of the ids; null for each that the key cannot see. */
  find(context: RequestContext, deliveryIds: readonly string[]): Promise<(Delivery | null)[]>;
  /** {@link find} as JSON, where there are deliveries. */
  readonly found?: PageSource<string, Page<Delivery>>;
  /** Their events' data, in the order of the ids; null for each that the key cannot see. */
  data(context: RequestContext, deliveryIds: readonly string[]): Promise<(EventData | null)[]>;
  /** Oldest first: 1 to 250, 50 by default. @throws ServiceError `resource_not_found` for an invisible delivery */
  attempts(context: RequestContext, request: AttemptListRequest): Promise<Page<DeliveryAttempt>>;
  /** In the order of the ids; null for each without one, or that the key cannot see. */
  lastAttempts(context: RequestContext, deliveryIds: readonly string[]): Promise<(DeliveryAttempt | null)[]>;
  /** Statistics of a period up to now, in the order of the webhooks; null for each that the key may not manage. */
  statistics(context: RequestContext, request: StatisticsRequest): Promise<(WebhookStatistics | null)[]>;
  /** Pending and held deliveries, in the order of the webhooks; null for each that the key may not manage. */
  backlog(context: RequestContext, webhookIds: readonly string[]): Promise<(WebhookBacklog | null)[]>;
  /** Summary of all webhooks of the workspace, in the time of one; null for a key that is limited to accounts. */
  summary(context: RequestContext, request: SummaryRequest): Promise<WebhookSummary | null>;
  /** Each at creation and changes of state. @throws ServiceError `resource_not_found` for an invisible webhook */
  watch(context: RequestContext, request: Watch): Promise<AsyncGenerator<Delivery>>;
  /**
   * Events of accounts that are kept, newest first, as {@link watchEvents} yields them: not what is for one webhook alone,
   * as a notice, a fired trigger or a test event is. Pages of 1 to 250, by default 50.
   * @throws ServiceError `account_mismatch` for an account beyond the key
   */
  events(context: RequestContext, request: EventListRequest): Promise<Page<AccountEvent>>;
  /** In the order of the ids; null for each that the key cannot see. */
  findEvents(context: RequestContext, eventIds: readonly string[]): Promise<(AccountEvent | null)[]>;
  /** In the order of the ids; null for each that the key cannot see. */
  dataOfEvents(context: RequestContext, eventIds: readonly string[]): Promise<(EventData | null)[]>;
  /**
   * Each once it is stored, after those kept `since`. A reader that falls behind is told so.
   * @throws ServiceError `resource_not_found` for an invisible account, `limit_too_high` for more than
   * `maxReplayedEvents` since; while reading, `service_unavailable` when some may have been missed
   */
  watchEvents(context: RequestContext, request: EventWatch): Promise<AsyncGenerator<AccountEvent>>;
  /**
   * Resolves once the event and its deliveries are stored.
   * @throws ServiceError `resource_not_found` for an unknown account, `invalid_parameters` for a key that the source
   * does not have, or the idempotency key of another event of the account
   */
  emit(context: RequestContext, request: EmitEvent): Promise<EventEmitted>;
  /**
   * @throws ServiceError `resource_not_found` for an unknown webhook or account, `invalid_parameters` for a disabled
   * webhook, an AUTO webhook, or one of another context or other accounts
   */
  fireTrigger(context: RequestContext, request: FireTrigger): Promise<EventEmitted>;
  /**
   * @throws ServiceError `resource_not_found` for an unknown webhook, `invalid_parameters` for a disabled webhook, a
   * TRIGGER webhook, or one whose source does not have the event
   */
  sendTest(context: RequestContext, request: SendTestEvent): Promise<EventEmitted>;
  /**
   * @throws ServiceError `resource_not_found` for an invisible delivery, `invalid_parameters` when its webhook is
   * disabled or left its account, `action_already_performed` while it is due or being sent
   */
  redeliver(context: RequestContext, request: Redeliver): Promise<DeliveryScheduled>;
  /**
   * Those of a state and a period, but for accounts that the webhook has left.
   * @throws ServiceError `resource_not_found` for an unknown webhook, `invalid_parameters` for a disabled one
   */
  redeliverAll(context: RequestContext, request: RedeliverAll): Promise<DeliveriesRedelivered>;
}
