/** The contract does not cover deliveries: these terms and shapes are Postern's. */
import { z } from 'zod';
import type { disabledEvent } from '../../events/event.ts';
import { type WebhookEvent, type WebhookSource, webhookEvents, webhookSourceNames } from '../../events/sources.ts';
import { dateTimeOf } from '../../kernel/date-time.ts';
import { keysOf } from '../../kernel/lib/objects.ts';
import { anyOf, type CursorScope } from '../../kernel/paging.ts';
import { statisticsPeriods } from '../../kernel/periods.ts';
import {
  anyValueOf,
  boundedList,
  idempotencyKey,
  identifier,
  jsonObject,
  maxPage,
  pageCursor,
  pageLimit,
  resourceId,
  rule,
  shortText,
  watchedIds,
} from '../../kernel/validation.ts';
import type { FailureReason } from '../../net/outbound.ts';
import type { Webhook, WebhookHealthState } from '../webhooks/shapes.ts';

export const deliveryLimits = { limit: { min: 1, max: maxPage, default: 50 } } as const;

export const deliveryStates = ['pending', 'held', 'succeeded', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A delivery of one event to one webhook. Times are epoch milliseconds. */
export interface Delivery {
  readonly object: 'Delivery';
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly account_id: string | null;
  /** Null if a TRIGGER webhook was fired, or the delivery is a notice. */
  readonly event: WebhookEvent | null;
  readonly notice: typeof disabledEvent | null;
  readonly state: DeliveryState;
  readonly attempt_count: number;
  /** Null if none is scheduled, or one is due or in progress. */
  readonly next_attempt_at: number | null;
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** An event of an account, for whoever listens. Times are epoch milliseconds. */
export interface AccountEvent {
  readonly object: 'AccountEvent';
  readonly event_id: string;
  readonly source: WebhookSource;
  readonly event: WebhookEvent;
  readonly account_id: string | null;
  readonly created_at: number;
}

export type EventData = Readonly<Record<string, unknown>>;

export interface DeliveryAttempt {
  readonly number: number;
  readonly started_at: number;
  readonly duration_ms: number;
  /** Null if no response was received. */
  readonly status: number | null;
  /** Null if the response was read to its end. */
  readonly failure: FailureReason | null;
  /** The first bytes, as text. */
  readonly response_body: string;
  /** None of a success. */
  readonly response_headers: Webhook['headers'];
}

/** Times are epoch milliseconds. Durations are estimates from counts of classes; null without attempts. */
export interface AttemptStatistics {
  readonly starts_at: number;
  readonly ends_at: number;
  readonly count: number;
  readonly succeeded_count: number;
  readonly median_duration_ms: number | null;
  readonly p95_duration_ms: number | null;
}

export interface WebhookStatistics {
  readonly total: AttemptStatistics;
  /** Oldest first. */
  readonly spans: readonly AttemptStatistics[];
}

export interface WebhookBacklog {
  /** Each up to {@link maxCounted}. */
  readonly pending_count: number;
  readonly held_count: number;
  readonly oldest_pending_at: number | null;
}

/** Summary of all webhooks of a workspace. */
export interface WebhookSummary {
  readonly counts: Readonly<Record<WebhookHealthState, number>>;
  readonly statistics: WebhookStatistics;
  readonly backlog: WebhookBacklog;
}

/** Most that is counted of each state: more would take too long. */
export const maxCounted = 1_000;

export interface EventEmitted {
  readonly object: 'EventEmitted';
  readonly event_id: string;
  readonly delivery_ids: readonly string[];
  /** Whether the idempotency key was known: nothing new was created. */
  readonly repeated: boolean;
}
export interface DeliveryScheduled {
  readonly object: 'DeliveryScheduled';
  readonly delivery_id: string;
}
export interface DeliveriesRedelivered {
  readonly object: 'DeliveriesRedelivered';
  readonly count: number;
}

const cursor = pageCursor().optional();
const limit = pageLimit(deliveryLimits.limit).optional();
const instant = () =>
  shortText().transform((text, { addIssue }) => {
    const dateTime = dateTimeOf(text);
    if (dateTime === undefined)
      addIssue({ code: 'custom', ...rule('malformed', 'must be a time such as 2026-01-31T09:30:00Z') });
    return dateTime ?? z.NEVER;
  });

const deliveryOrders = ['created_at_desc', 'created_at_asc'] as const;
export type DeliveryOrder = (typeof deliveryOrders)[number];
export const defaultDeliveryOrder: DeliveryOrder = 'created_at_desc';

const filter = {
  /** All webhooks by default. */
  webhook_id: identifier().optional(),
  event_id: identifier().optional(),
  states: anyValueOf(deliveryStates),
  events: anyValueOf(webhookEvents),
  account_id: identifier().optional(),
  since: instant().optional(),
  /** Exclusive. */
  until: instant().optional(),
};

export const deliveryFilterShape = z.strictObject(filter);
export const deliveryListShape = z.strictObject({
  ...filter,
  order_by: z.enum(deliveryOrders).optional(),
  limit,
  cursor,
});
/** Beside the key. A cursor belongs to its order. */
export const deliveryListScope = (request: DeliveryFilter & Pick<DeliveryListRequest, 'order_by'>): CursorScope => [
  request.webhook_id,
  request.event_id,
  anyOf(request.states),
  anyOf(request.events),
  request.account_id,
  request.since,
  request.until,
  request.order_by ?? defaultDeliveryOrder,
];

/** That a stream begins with. */
export const maxReplayedEvents = 500;

const eventFilter = {
  /** All accounts that the key may act for by default. */
  account_ids: watchedIds().optional(),
  sources: anyValueOf(webhookSourceNames),
  events: anyValueOf(webhookEvents),
};

export const eventListShape = z.strictObject({ ...eventFilter, limit, cursor });
export const eventWatchShape = z.strictObject({ ...eventFilter, since: instant().optional() });
/** Beside the key. */
export const eventListScope = ({ account_ids, sources, events }: EventFilter): CursorScope => [
  anyOf(account_ids),
  anyOf(sources),
  anyOf(events),
];

export const attemptListShape = z.strictObject({ delivery_id: resourceId(), limit, cursor });
/** More than an operation can cost. */
const maxWebhooks = 10_000;

const period = z.enum(keysOf(statisticsPeriods));
export const statisticsShape = z.strictObject({
  webhook_ids: boundedList(z.string(), 0, maxWebhooks),
  period,
});
export const summaryShape = z.strictObject({ period });
export const redeliverShape = z.strictObject({ delivery_id: resourceId() });
export const redeliverAllShape = z.strictObject({
  webhook_id: resourceId(),
  since: instant().optional(),
  until: instant().optional(),
  state: z.enum(deliveryStates),
});
export const testEventShape = z.strictObject({ webhook_id: resourceId(), event: z.enum(webhookEvents).optional() });
export const watchShape = z.strictObject({ webhook_ids: watchedIds().optional() });

export const emitShape = z.strictObject({
  account_id: resourceId(),
  event: z.enum(webhookEvents),
  data: jsonObject().optional(),
  idempotency_key: idempotencyKey(),
});

export const fireTriggerShape = z.strictObject({
  webhook_id: resourceId(),
  account_id: resourceId(),
  chat_id: identifier(),
  message_id: identifier().optional(),
  idempotency_key: idempotencyKey(),
});

export type EmitEvent = z.infer<typeof emitShape>;
export type FireTrigger = z.infer<typeof fireTriggerShape>;
export type RedeliverAll = z.infer<typeof redeliverAllShape>;
export type DeliveryFilter = z.infer<typeof deliveryFilterShape>;
export type DeliveryListRequest = z.infer<typeof deliveryListShape>;
export type EventListRequest = z.infer<typeof eventListShape>;
export type EventWatch = z.infer<typeof eventWatchShape>;
export type EventFilter = Omit<EventWatch, 'since'>;
export type AttemptListRequest = z.infer<typeof attemptListShape>;
export type StatisticsRequest = z.infer<typeof statisticsShape>;
export type SummaryRequest = z.infer<typeof summaryShape>;
export type Redeliver = z.infer<typeof redeliverShape>;
export type SendTestEvent = z.infer<typeof testEventShape>;
export type Watch = z.infer<typeof watchShape>;
