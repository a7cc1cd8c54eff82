/** One attempt: claimed delivery → signed request → response → outcome. */
import { StringDecoder } from 'node:string_decoder';

import type { Clock } from '../kernel/lib/time-units.ts';
import { lengthIn, redacted, redactor } from '../kernel/secrets/redact.ts';
import type { Outbound, OutboundResponse } from '../net/outbound.ts';
import type { DeliveryAttemptTable } from '../store/schema.ts';
import type { Target } from './destination.ts';
import type { ClaimedDelivery } from './queue.ts';
import { classify, type RetryDecision } from './retry-policy.ts';
import type { AttemptOutcome } from './settle.ts';
import { signatureHeaders, signaturesIn } from './signature.ts';

/** A begun attempt, stored with its own time however it ends. */
interface Attempt {
  readonly delivery: ClaimedDelivery;
  readonly startedAt: number;
  end(decision: RetryDecision, response: StoredResponse): AttemptOutcome;
}

type StoredResponse = Pick<DeliveryAttemptTable, 'status' | 'failure' | 'response_body' | 'response_headers'>;

export const unsent: StoredResponse = { status: null, failure: null, response_body: '', response_headers: null };

interface AttemptClocks {
  readonly now: () => Date;
  readonly clock: Clock;
}

/** Begins now: the outcome has this time and the duration since. */
export function beginAttempt({ now, clock }: AttemptClocks, delivery: ClaimedDelivery): Attempt {
  const { deliveryId, claimToken, destination, number } = delivery;
  const startedAt = now().getTime();
  const started = clock();
  return {
    delivery,
    startedAt,
    end: (decision, { status, failure, response_body, response_headers }) => ({
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
        status,
        failure,
        response_body,
        response_headers,
      },
    }),
  };
}

interface SendContext {
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
  const { target } = destination;
  if (target instanceof Error) throw target;
  if (body instanceof Error) throw body;
  const signature = signatureHeaders({ id: deliveryId, now: attempt.startedAt, body }, target.secrets);
  const trace = Object.entries(traceHeaders).filter(([name]) => !target.ownNames.has(name));
  const headers = [...signature, ...trace.flat(), ...target.sentHeaders];
  const response = await outbound.post({ url: target.url, headers, body, deadlineMs, signal });
  const decision = classify(response, { attempt: place, now: now().getTime(), random });
  const { status, failure } = response;
  const stored = textsOf(response, decision, target.headers, signature);
  return attempt.end(decision, { status, failure, ...stored });
}

/** More of header values takes too long to look for: a mebibyte, in all its forms, 200 ms. */
const maxHeaderCharacters = 65_536;

/** As text for every database (Postgres has no U+0000). Echoes of sealed headers and of the signature are redacted. */
function textsOf(
  { headers: received, body }: OutboundResponse,
  decision: RetryDecision,
  sent: Target['headers'],
  signature: readonly string[],
): Pick<StoredResponse, 'response_body' | 'response_headers'> {
  const lines = storedHeaders(received, decision);
  // Most responses are successes without a body, and a redactor costs as much as a signature.
  if (body.length === 0 && lines === null) return { response_body: '', response_headers: null };
  // Without an incomplete last character: U+FFFD in its place would hide the end of a secret that was cut off.
  const text = new StringDecoder('utf8').write(body);
  const redact = redactorFor(sent, signature, Math.max(text.length, lines?.length ?? 0));
  return { response_body: redact(text), response_headers: lines && redact(lines) };
}

const maxStoredHeaders = 1_024;

/** Lines as in HTTP, in UTF-8 as bodies are, without those too long for the rest of the place. Nobody reads those of a success. */
export function storedHeaders(headers: OutboundResponse['headers'], { outcome }: RetryDecision): string | null {
  if (outcome === 'succeeded') return null;
  const lines = Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value) => `${name}: ${Buffer.from(value, 'latin1')}`),
  );
  return lines.reduce<string | null>((kept, line) => {
    const more = kept === null ? line : `${kept}\n${line}`;
    return more.length > maxStoredHeaders ? kept : more;
  }, null);
}

/** @param length of the longest text */
function redactorFor(sent: Target['headers'], signature: readonly string[], length: number): (text: string) => string {
  const longest = lengthIn(length);
  const searched = sent.reduce((sum, { value }) => sum + Math.min(value.length, longest), 0);
  if (searched > maxHeaderCharacters) return (text) => (text === '' ? '' : redacted);
  const secrets = [...signaturesIn(signature), ...sent.map(({ value }) => value)];
  const names = sent.map(({ key }) => key);
  const redact = redactor(secrets, names, length);
  return (text) => redact(text).replaceAll('\0', '\uFFFD');
}
