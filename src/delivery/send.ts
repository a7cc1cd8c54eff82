/** One attempt: claimed delivery → signed request → response → outcome. */

import { redactor } from '../kernel/secrets/redact.ts';
import type { Outbound, OutboundResponse } from '../net/outbound.ts';
import { contentTypes } from './payload.ts';
import type { ClaimedDelivery } from './queue.ts';
import { classify, type RetryDecision } from './retry-policy.ts';
import type { AttemptOutcome } from './settle.ts';
import { signatureHeaders, signaturesIn } from './signature.ts';

/** A begun attempt, stored with its own time however it ends. */
export interface Attempt {
  readonly delivery: ClaimedDelivery;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** @param response null if nothing could be sent @param sent secrets of the request alone */
  end(response: OutboundResponse | null, decision: RetryDecision, sent?: readonly string[]): AttemptOutcome;
}

export interface AttemptClocks {
  readonly now: () => Date;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** Begins now: the outcome has this time and the duration since. */
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
        response_body: response === null ? '' : bodyText(response, destination.headers, sent),
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
 * Rejects only for a fault of ours, never for one of the destination.
 * @param traceHeaders continue a trace, unless the webhook's owner has set the same
 * @param signal ends the request before its deadline, as timed out
 */
export async function sendAttempt(
  { outbound, now, random, deadlineMs }: SendContext,
  attempt: Attempt,
  traceHeaders: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<AttemptOutcome> {
  const { deliveryId, destination, body, attempt: place } = attempt.delivery;
  if (body instanceof Error) throw body;
  const signature = signatureHeaders({ id: deliveryId, now: attempt.startedAt, body }, destination.secrets);
  const headers = [...signature, ...withDefaults(destination, traceHeaders)];
  const response = await outbound.post({ url: destination.url, headers, body, deadlineMs, signal });
  const decision = classify(response, { attempt: place, now: now().getTime(), random });
  return attempt.end(response, decision, signaturesIn(signature));
}

/** The owner's headers, and defaults for others. */
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

/** As text for every database (Postgres has no U+0000). Echoes of sealed headers and of the signature are redacted. */
function bodyText(
  { body }: OutboundResponse,
  headers: ClaimedDelivery['destination']['headers'],
  sent: readonly string[],
): string {
  const names = headers.map(({ key }) => key);
  const redact = redactor([...sent, ...headers.map(({ value }) => value)], names);
  return redact(body.toString('utf8')).replaceAll('\0', '\uFFFD');
}
