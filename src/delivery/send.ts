/** One attempt: a claimed delivery becomes a signed request, and its response an outcome. */

import { redactor } from '../kernel/secrets/redact.ts';
import type { Outbound, OutboundResponse } from '../net/outbound.ts';
import { contentTypes } from './payload.ts';
import type { ClaimedDelivery } from './queue.ts';
import { classify, type RetryDecision } from './retry-policy.ts';
import type { Outcome } from './settle.ts';
import { signatureHeaders, signaturesIn } from './signature.ts';

/** An attempt that has begun. It knows when, so that it is stored with its own time however it ends. */
export interface Attempt {
  readonly delivery: ClaimedDelivery;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Ends the attempt. @param response null if nothing could be sent @param sent secrets of the request alone */
  end(response: OutboundResponse | null, decision: RetryDecision, sent?: readonly string[]): Outcome;
}

/** What an attempt reads its times from. */
export interface AttemptClocks {
  readonly now: () => Date;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** Begins an attempt now: its outcome has this time and the duration since, whether it can be sent or not. */
export function beginAttempt({ now, clock }: AttemptClocks, delivery: ClaimedDelivery): Attempt {
  const { deliveryId, claimToken, destination, number } = delivery;
  const startedAt = now().getTime();
  const started = clock();
  return {
    delivery,
    startedAt,
    end: (response, decision, sent = []) => ({
      deliveryId,
      claimToken,
      webhookId: destination.webhookId,
      wasFailing: destination.failing,
      decision,
      attempt: {
        delivery_id: deliveryId,
        number,
        started_at: startedAt,
        duration_ms: Math.round(clock() - started),
        status: response?.status ?? null,
        failure: response?.failure ?? null,
        response_body:
          response === null ? '' : bodyText(response, [...sent, ...destination.headers.map(({ value }) => value)]),
      },
    }),
  };
}

export interface SendContext {
  readonly outbound: Outbound;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly deadlineMs: number;
}

/**
 * Sends the request of an attempt. It rejects only for a fault of the gateway's own, never for one of the destination.
 * @param traceHeaders continue a trace, unless the owner of the webhook has set the same
 */
export async function send(
  { outbound, now, random, deadlineMs }: SendContext,
  attempt: Attempt,
  traceHeaders: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { deliveryId, destination, body, attempt: place } = attempt.delivery;
  if (body instanceof Error) throw body;
  const signature = signatureHeaders({ id: deliveryId, now: attempt.startedAt, body }, destination.secrets);
  const headers = [...signature, ...withDefaults(destination, traceHeaders)];
  const response = await outbound.post({ url: destination.url, headers, body, deadlineMs });
  const decision = classify(response, { attempt: place, now: now().getTime(), random });
  return attempt.end(response, decision, signaturesIn(signature));
}

/** The headers that the owner of the webhook has set, and the defaults of those that are not among them. */
function withDefaults(
  { format, headers }: ClaimedDelivery['destination'],
  traceHeaders: Readonly<Record<string, string>>,
): string[] {
  const set = headers.map(({ key, value }): [string, string] => [key.toLowerCase(), value]);
  const names = new Set(set.map(([name]) => name));
  const defaults: [string, string][] = [
    ['content-type', contentTypes[format]],
    ['user-agent', 'Postern'],
    ...Object.entries(traceHeaders),
  ];
  return [...defaults.filter(([name]) => !names.has(name)), ...set].flat();
}

/**
 * The body as text that every database stores: Postgres has no U+0000. The owner's headers are sealed there, and who has the
 * signature can send the event again: an echo of them is redacted.
 */
const bodyText = ({ body }: OutboundResponse, secrets: readonly string[]): string =>
  redactor(secrets)(body.toString('utf8')).replaceAll('\0', '\uFFFD');
