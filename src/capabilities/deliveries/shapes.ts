/**
 * Deliveries: their states, their attempts, and the requests that create, read and resend them. The contract does not
 * cover deliveries, so these terms and shapes are Postern's.
 */
import { z } from 'zod';
import { webhookEvents } from '../../events/sources.ts';
import { dateTimeOf } from '../../kernel/date-time.ts';
import { keysOf } from '../../kernel/lib/keys-of.ts';
import { anyOf, type CursorScope } from '../../kernel/paging.ts';
import { statisticsPeriods } from '../../kernel/periods.ts';
import {
  anyValueOf,
  boundedList,
  identifier,
  jsonObject,
  maxPage,
  pageCursor,
  pageLimit,
  resourceId,
  shortText,
} from '../../kernel/validation.ts';
import type { FailureReason } from '../../net/outbound.ts';
import { triggerContexts } from '../webhooks/shapes.ts';

export const deliveryLimits = { limit: { min: 1, max: maxPage, default: 50 } } as const;

export const deliveryStates = ['pending', 'held', 'succeeded', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The states of deliveries that `redeliverAll` resends. */
const redeliverableStates = ['held', 'failed', 'succeeded'] as const satisfies readonly DeliveryState[];
export type RedeliverableState = (typeof redeliverableStates)[number];

/** The delivery of one event to one webhook. Times are ISO 8601 text. */
export interface Delivery {
  readonly object: 'Delivery';
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly account_id: string | null;
  /** An event of the contract, or {@link triggerEvent}. */
  readonly event: string;
  readonly state: DeliveryState;
  readonly attempt_count: number;
  /** Null if no attempt is scheduled, or one is due or in progress. */
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

/** The data of an event, by the keys of its source. */
export type EventData = Readonly<Record<string, unknown>>;

/** One HTTP request of a delivery. */
export interface DeliveryAttempt {
  /** Counts from 1. */
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number;
  /** HTTP status of the response; null if none was received. */
  readonly status: number | null;
  /** Null if the response was read to its end. */
  readonly failure: FailureReason | null;
  /** The first bytes of the response body, as text. */
  readonly response_body: string;
}

/** How attempts ended. Durations are estimates, from counts of classes of durations; null if there were no attempts. */
export interface AttemptStatistics {
  readonly count: number;
  readonly succeeded_count: number;
  readonly median_duration_ms: number | null;
  readonly p95_duration_ms: number | null;
}

/** The attempts that began in a span of time. Times are ISO 8601 text. */
export interface StatisticsSpan {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly attempts: AttemptStatistics;
}

/** The attempts to a webhook over a period. */
export interface WebhookStatistics {
  readonly starts_at: string;
  /** All of them. */
  readonly attempts: AttemptStatistics;
  /** The whole period, the oldest span first. */
  readonly spans: readonly StatisticsSpan[];
}

/** The deliveries of a webhook that are pending or held. */
export interface WebhookBacklog {
  /** Up to {@link maxCounted}: there counting ends. */
  readonly pending_count: number;
  /** Up to {@link maxCounted}. */
  readonly held_count: number;
  /** When the oldest pending delivery was created. */
  readonly oldest_pending_at: string | null;
}

/** Deliveries of a backlog that are counted, of each state: more take too long. */
export const maxCounted = 1_000;

export interface EventEmitted {
  readonly object: 'EventEmitted';
  readonly event_id: string;
  readonly delivery_ids: readonly string[];
  /** Whether the idempotency key had been used before, so that nothing new was created. */
  readonly repeated: boolean;
}
export interface DeliveryScheduled {
  readonly object: 'DeliveryScheduled';
  readonly delivery_id: string;
}
export interface DeliveriesRedelivered {
  readonly object: 'DeliveriesRedelivered';
  readonly webhook_id: string;
  readonly count: number;
}

const cursor = pageCursor().optional();
const limit = pageLimit(deliveryLimits.limit.max).optional();
const idempotencyKey = shortText().min(1, 'must not be empty').optional();
const instant = () =>
  shortText().transform((text, { addIssue }) => {
    const dateTime = dateTimeOf(text);
    if (dateTime === undefined) addIssue('must be a time such as 2026-01-31T09:30:00Z');
    return dateTime ?? z.NEVER;
  });

const filter = {
  webhook_id: identifier(),
  state: anyValueOf(deliveryStates),
  event: anyValueOf(webhookEvents),
  account_id: identifier().optional(),
  /** The first moment that a delivery may have been created in. */
  since: instant().optional(),
  /** The first moment after that. */
  until: instant().optional(),
};

export const deliveryFilterShape = z.strictObject(filter);
export const deliveryListShape = z.strictObject({ ...filter, limit, cursor });
/** What a cursor of the list is bound to beside the key. */
export const deliveryListScope = ({
  webhook_id,
  state,
  event,
  account_id,
  since,
  until,
}: DeliveryFilter): CursorScope => [webhook_id, anyOf(state), anyOf(event), account_id, since, until];

export const attemptListShape = z.strictObject({ delivery_id: resourceId(), limit, cursor });
/** Webhooks whose statistics are read together: more than an operation can cost. */
const maxWebhooks = 10_000;

export const statisticsShape = z.strictObject({
  webhook_ids: boundedList(z.string(), 0, maxWebhooks),
  period: z.enum(keysOf(statisticsPeriods)),
});
export const redeliverShape = z.strictObject({ delivery_id: resourceId() });
export const redeliverAllShape = z.strictObject({
  webhook_id: resourceId(),
  since: instant().optional(),
  until: instant().optional(),
  state: z.enum(redeliverableStates),
});
export const testEventShape = z.strictObject({ webhook_id: resourceId(), event: z.enum(webhookEvents).optional() });
export const watchShape = z.strictObject({ webhook_id: identifier().optional() });

export const emitShape = z.strictObject({
  account_id: resourceId(),
  event: z.enum(webhookEvents),
  data: jsonObject().optional(),
  idempotency_key: idempotencyKey,
});

export const fireTriggerShape = z.strictObject({
  webhook_id: resourceId(),
  account_id: resourceId(),
  context: z.enum(triggerContexts),
  chat_id: identifier(),
  message_id: identifier().optional(),
  idempotency_key: idempotencyKey,
});

export type EmitEvent = z.infer<typeof emitShape>;
export type FireTrigger = z.infer<typeof fireTriggerShape>;
export type RedeliverAll = z.infer<typeof redeliverAllShape>;
export type DeliveryFilter = z.infer<typeof deliveryFilterShape>;
export type DeliveryListRequest = z.infer<typeof deliveryListShape>;
export type AttemptListRequest = z.infer<typeof attemptListShape>;
export type StatisticsRequest = z.infer<typeof statisticsShape>;
export type Redeliver = z.infer<typeof redeliverShape>;
export type SendTestEvent = z.infer<typeof testEventShape>;
export type Watch = z.infer<typeof watchShape>;
