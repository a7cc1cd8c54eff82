/** One attempt: a claimed delivery becomes a signed request, and its response an outcome. */
import type { Outbound, OutboundResponse } from '../security/outbound.ts';
import { contentTypes } from './payload.ts';
import type { ClaimedDelivery } from './queue.ts';
import { classify } from './retry-policy.ts';
import type { Outcome } from './settle.ts';
import { signatureHeaders } from './signature.ts';

export interface SendContext {
  readonly outbound: Outbound;
  readonly now: () => Date;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly deadlineMs: number;
}

/**
 * Makes the attempt. It rejects only for a fault of the gateway's own, never for one of the destination.
 * @param traceHeaders continue a trace, unless the owner of the webhook has set the same
 */
export async function send(
  { outbound, now, clock, random, deadlineMs }: SendContext,
  { deliveryId, claimToken, destination, body, number, attempt }: ClaimedDelivery,
  traceHeaders: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  if (body instanceof Error) throw body;
  const startedAt = now().getTime();
  const started = clock();
  const signature = signatureHeaders({ id: deliveryId, now: startedAt, body }, destination.secrets);
  const headers = [...signature, ...withDefaults(destination, traceHeaders)];
  const response = await outbound.post({ url: destination.url, headers, body, deadlineMs });
  return {
    deliveryId,
    claimToken,
    webhookId: destination.webhookId,
    wasFailing: destination.failing,
    decision: classify(response, { attempt, now: now().getTime(), random }),
    attempt: {
      delivery_id: deliveryId,
      number,
      started_at: startedAt,
      duration_ms: Math.round(clock() - started),
      status: response.status,
      failure: response.failure,
      response_body: bodyText(response),
    },
  };
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

/** The body as text that every database stores: Postgres has no U+0000. */
const bodyText = ({ body }: OutboundResponse): string => body.toString('utf8').replaceAll('\0', '\uFFFD');
