import type { Page } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import type {
  AttemptListRequest,
  DeliveriesRedelivered,
  Delivery,
  DeliveryAttempt,
  DeliveryListRequest,
  DeliveryScheduled,
  EmitEvent,
  EventEmitted,
  FireTrigger,
  Redeliver,
  RedeliverAll,
  SendTestEvent,
  Watch,
} from './shapes.ts';

/**
 * Account events and their deliveries: additions to the contract, embedded only. Requests have passed their shape; every
 * failure is a ServiceError.
 */
export interface DeliveriesPort {
  /** One page of the deliveries of a webhook, newest first: 1 to 250, 50 by default. */
  list(context: RequestContext, request: DeliveryListRequest): Promise<Page<Delivery>>;
  /** The deliveries with these ids, in their order; null for each that the key cannot see. */
  find(context: RequestContext, deliveryIds: readonly string[]): Promise<(Delivery | null)[]>;
  /** One page of the attempts of a delivery, oldest first: 1 to 250, 50 by default. */
  attempts(context: RequestContext, request: AttemptListRequest): Promise<Page<DeliveryAttempt>>;
  /** Yields each delivery when it is created and whenever its state changes, until the context's signal aborts. */
  watch(context: RequestContext, request: Watch): Promise<AsyncGenerator<Delivery>>;
  /** Reports an event of an account. It is stored, with its deliveries, before this resolves. */
  emit(context: RequestContext, request: EmitEvent): Promise<EventEmitted>;
  /** Fires a TRIGGER webhook. */
  fireTrigger(context: RequestContext, request: FireTrigger): Promise<EventEmitted>;
  /** Sends a sample event to one webhook. */
  sendTest(context: RequestContext, request: SendTestEvent): Promise<EventEmitted>;
  /** Resends a delivery that has succeeded, failed or been held. */
  redeliver(context: RequestContext, request: Redeliver): Promise<DeliveryScheduled>;
  /** Resends the deliveries of a webhook that are in a state and were created in a period. */
  redeliverAll(context: RequestContext, request: RedeliverAll): Promise<DeliveriesRedelivered>;
}
