/**
 * Deliveries: what was sent to webhooks, what came of it, and what can be asked for. None of it is part of the contract,
 * which leaves deliveries open; the words and shapes are Postern's.
 */
import { z } from 'zod';
import { webhookEvents } from '../events/sources.ts';
import type { FailureReason } from '../security/outbound.ts';
import { identifier, pageLimit, shortText } from '../validation.ts';
import { triggerContexts } from '../webhooks/shapes.ts';

export const deliveryLimits = { limit: { min: 1, max: 250, default: 50 } } as const;

export const deliveryStates = {
  pending: 'Waits for its first attempt, for the next one, or for the answer to one that is being made.',
  held: 'The webhook is disabled: it waits until it is replayed.',
  succeeded: 'The endpoint answered with a status of 200 to 299 in time.',
  failed: 'Every attempt failed, or the endpoint said that it is gone.',
} as const;
export type DeliveryState = keyof typeof deliveryStates;

export const failureReasons: Readonly<Record<FailureReason, string>> = {
  address_refused: 'The address is not public, and not one that this deployment lets deliveries go to.',
  name_not_found: 'The name of the host could not be resolved.',
  connection_failed: 'No connection could be made.',
  connection_lost: 'The connection ended before the answer did.',
  tls_failed: 'The certificate or the TLS handshake was not accepted.',
  timeout: 'There was no complete answer within 15 seconds.',
  invalid_answer: 'What came back is not an HTTP answer.',
};

/** An event on its way to one webhook. Times are ISO 8601 text. */
export interface Delivery {
  readonly object: 'Delivery';
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly account_id: string | null;
  /** An event of the contract, or {@link triggerEvent}. */
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly state: DeliveryState;
  readonly attempt_count: number;
  /** Null where none is to come, or one is due now. */
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
}

export interface DeliveryAttempt {
  /** From 1. */
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly failure: FailureReason | null;
  /** The first bytes of the answer's body. */
  readonly answer: string;
}

export interface EventEmitted {
  readonly object: 'EventEmitted';
  readonly event_id: string;
  readonly delivery_ids: readonly string[];
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
const cursor = z.string().min(1, 'must not be empty').optional();
const limit = pageLimit(deliveryLimits.limit.max).optional();
const idempotencyKey = shortText().min(1, 'must not be empty').optional();
const instant = () => z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T09:30:00Z' });

export const deliveryListShape = z.strictObject({
  webhook_id: identifier(),
  state: z.array(z.enum(Object.keys(deliveryStates) as DeliveryState[])).optional(),
  limit,
  cursor,
});
export const attemptListShape = z.strictObject({ delivery_id: identifier(), limit, cursor });
export const redeliverShape = z.strictObject({ delivery_id: identifier() });
export const redeliverAllShape = z.strictObject({
  webhook_id: identifier(),
  since: instant().optional(),
  until: instant().optional(),
  state: z.enum(['held', 'failed', 'succeeded']),
});
export const testEventShape = z.strictObject({ webhook_id: identifier(), event: z.enum(webhookEvents).optional() });
export const watchShape = z.strictObject({ webhook_id: identifier().optional() });

export const emitShape = z.strictObject({
  account_id: identifier(),
  event: z.enum(webhookEvents),
  data: z.record(z.string(), z.json()).optional(),
  idempotency_key: idempotencyKey,
});

export const fireTriggerShape = z.strictObject({
  webhook_id: identifier(),
  account_id: identifier(),
  context: z.enum(triggerContexts),
  chat_id: identifier(),
  message_id: identifier().optional(),
  idempotency_key: idempotencyKey,
});

export type EmitEvent = z.infer<typeof emitShape>;
export type FireTrigger = z.infer<typeof fireTriggerShape>;
export type RedeliverAll = z.infer<typeof redeliverAllShape>;
export type DeliveryListRequest = z.infer<typeof deliveryListShape>;
export type AttemptListRequest = z.infer<typeof attemptListShape>;
export type Redeliver = z.infer<typeof redeliverShape>;
export type SendTestEvent = z.infer<typeof testEventShape>;
export type Watch = z.infer<typeof watchShape>;
