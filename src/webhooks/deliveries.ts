/**
 * Deliveries: what was sent to webhooks, what came of it, and what can be asked for. None of it is part of the contract,
 * which leaves deliveries open; the words and shapes are Postern's.
 */
import { z } from 'zod';
import type { FailureReason } from '../outbound.ts';
import { boundedList, httpUrl, identifier, maxEntries, pageLimit, shortText } from '../shape.ts';
import { extraHeader } from './headers.ts';
import { triggerContexts, triggerIcons, type WebhookFormat, type WebhookTrigger, webhookFormats } from './shapes.ts';
import { webhookDataKeys, webhookEvents, webhookSourceNames } from './sources.ts';

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

/** Why a webhook is disabled. */
export const disabledReasons = {
  caller: 'Somebody disabled it.',
  gone: 'Its endpoint answered 410: it is no more.',
  failing: 'Its endpoint answered nothing but failures for five days.',
} as const;
export type DisabledReason = keyof typeof disabledReasons;

/** The event of a TRIGGER webhook that is fired: of no source, and of no other webhook. */
export const triggerEvent = 'trigger';

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

/** How the endpoint of a webhook is doing. */
export interface WebhookHealth {
  readonly disabled_reason: DisabledReason | null;
  readonly disabled_at: string | null;
  /** Since when it has answered nothing but failures. */
  readonly failing_since: string | null;
  /** Until when nothing is sent, as the endpoint is overloaded. */
  readonly paused_until: string | null;
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
export interface DeliveriesReplayed {
  readonly object: 'DeliveriesReplayed';
  readonly webhook_id: string;
  readonly count: number;
}
export interface WebhookUpdated {
  readonly object: 'WebhookUpdated';
  readonly webhook_id: string;
}
export interface WebhookSecret {
  readonly object: 'WebhookSecretShown' | 'WebhookSecretRotated';
  readonly webhook_id: string;
  readonly secret: string;
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
export const replayShape = z.strictObject({
  webhook_id: identifier(),
  since: instant().optional(),
  until: instant().optional(),
  state: z.enum(['held', 'failed', 'succeeded']),
});
export const webhookIdShape = z.strictObject({ webhook_id: identifier() });
export const setEnabledShape = z.strictObject({ webhook_id: identifier(), enabled: z.boolean() });
export const testEventShape = z.strictObject({ webhook_id: identifier(), event: z.enum(webhookEvents).optional() });
export const subscriptionShape = z.strictObject({ webhook_id: identifier().optional() });

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

const settings = {
  name: shortText().optional(),
  format: z.enum(webhookFormats).optional(),
  account_ids: boundedList(identifier(), 0, maxEntries).optional(),
  headers: boundedList(extraHeader(), 0, maxEntries).optional(),
};

export const createTriggerShape = z.strictObject({
  request_url: httpUrl(),
  ...settings,
  enabled: z.boolean().optional(),
  trigger: z.strictObject({
    icon: z.enum(triggerIcons),
    name: shortText().min(1, 'must not be empty'),
    context: z.enum(triggerContexts),
  }),
});

/** The fields that are there are changed. Whether `source`, `events` and `data` fit the webhook is the backend's to say. */
export const updateShape = z.strictObject({
  webhook_id: identifier(),
  request_url: httpUrl().optional(),
  ...settings,
  source: z.enum(webhookSourceNames).optional(),
  events: boundedList(z.enum(webhookEvents), 0, maxEntries).optional(),
  data: boundedList(
    z.strictObject({ name: shortText().min(1, 'must not be empty'), key: z.enum(webhookDataKeys) }),
    0,
    maxEntries,
  ).optional(),
});

export type EmitEvent = z.infer<typeof emitShape>;
export type FireTrigger = z.infer<typeof fireTriggerShape>;
export type Replay = z.infer<typeof replayShape>;
export type DeliveryListRequest = z.infer<typeof deliveryListShape>;
export type AttemptListRequest = z.infer<typeof attemptListShape>;
export type WebhookUpdate = z.infer<typeof updateShape>;

/** A webhook to be fired by hand. */
export interface TriggerCreate {
  readonly request_url: string;
  readonly name?: string | undefined;
  readonly format?: WebhookFormat | undefined;
  readonly enabled?: boolean | undefined;
  readonly account_ids?: readonly string[] | undefined;
  readonly headers?: readonly { readonly key: string; readonly value: string }[] | undefined;
  readonly trigger: WebhookTrigger;
}
