import type { Logger } from 'pino';
import { boundedLines, boundedLinesByKey } from '../telemetry/bounds.ts';
import { inSpan, type Metrics, type Span, type SpanOptions, type Telemetry } from '../telemetry/telemetry.ts';
import type { LaneLimits, Lanes } from './lanes.ts';
import type { ClaimedDelivery } from './queue.ts';
import type { AttemptOutcome, DisabledWebhook } from './settle.ts';

/** Limit for each kind: a destination that is gone, or cannot be unsealed, fails all that waits for it. */
const attemptLinesPerMinute = 60;

/** With headers that continue a trace. */
export type Send = (traceHeaders: Readonly<Record<string, string>>) => Promise<AttemptOutcome>;

export type AttemptObserver = ReturnType<typeof observeAttempts>;

const noHeaders = {};

export function observeAttempts(
  { metrics, tracer }: Pick<Telemetry, 'metrics' | 'tracer'>,
  logger: Logger,
  now: () => number,
) {
  const mayLogFailed = boundedLines(attemptLinesPerMinute, now);
  const mayLogAttempt = boundedLinesByKey(attemptLinesPerMinute, now);
  const mayLogUnsent = boundedLinesByKey(attemptLinesPerMinute, now);
  return {
    /** Within a span that continues the event's trace. */
    attempt(delivery: ClaimedDelivery, send: Send) {
      if (tracer === null) return send(noHeaders);
      const { deliveryId, destination, number, traceparent } = delivery;
      const { webhookId, target } = destination;
      const options: SpanOptions = {
        kind: 'client',
        ...(traceparent === null ? {} : { from: { traceparent } }),
        // Not the URL, whose path and query are often credentials.
        attributes: {
          'http.request.method': 'POST',
          ...(target instanceof Error ? {} : { 'server.address': target.url.hostname }),
          'postern.delivery.id': deliveryId,
          'postern.webhook.id': webhookId,
          'postern.delivery.attempt': number,
        },
      };
      return inSpan(tracer, 'POST webhook', options, async (span) => {
        // No trace state: it is for participants, and a webhook is a stranger.
        const outcome = await send({ traceparent: tracer.headers().traceparent ?? '' });
        describe(span, outcome);
        return outcome;
      });
    },
    /** By a fault of ours. */
    unsent({ deliveryId, destination: { webhookId } }: ClaimedDelivery, error: unknown) {
      const fields = mayLogUnsent(webhookId);
      if (fields === null) return;
      logger.error({ err: error, deliveryId, webhookId, ...fields }, 'a delivery could not be prepared');
    },
    ended({ deliveryId, webhookId, attempt, decision }: AttemptOutcome) {
      const { outcome } = decision;
      const response = responseOf(attempt);
      metrics?.record('postern.delivery.attempt.duration', attempt.duration_ms / 1_000, { outcome, response });
      if (outcome === 'succeeded') return;
      const fields = outcome === 'failed' ? mayLogFailed() : mayLogAttempt(webhookId);
      if (fields === null) return;
      const { number: attempts, status, failure } = attempt;
      const facts = { deliveryId, webhookId, attempts, status, failure, ...fields };
      if (outcome === 'failed') logger.warn(facts, 'delivery failed');
      else logger.info(facts, 'attempt failed, and is repeated');
    },
    disabled(webhooks: readonly DisabledWebhook[]) {
      // Their log lines follow with the notices.
      for (const { reason } of webhooks) metrics?.count('postern.webhooks.disabled', { reason });
    },
  };
}

function describe(span: Span | null, { attempt, decision }: AttemptOutcome): void {
  const { status } = attempt;
  span?.set({ 'http.response.status_code': status ?? undefined, 'postern.delivery.outcome': decision.outcome });
  if (decision.outcome !== 'succeeded') span?.fail(responseOf(attempt));
}

/** `2xx` and the like, or the reason for none: few words, whatever destinations say. */
function responseOf({ status, failure }: AttemptOutcome['attempt']): string {
  if (failure !== null) return failure;
  return status === null ? 'unsent' : `${Math.floor(status / 100)}xx`;
}

export function observeQueue(
  metrics: Metrics | null,
  {
    lanes,
    limits,
    leases,
    outcomes,
  }: {
    readonly lanes: Lanes;
    readonly limits: LaneLimits;
    readonly leases: { readonly size: number };
    readonly outcomes: { readonly size: number; readonly unstored: number; readonly unstoredMs: number };
  },
): void {
  metrics?.observe('postern.delivery.requests', () => [
    [lanes.sending, { state: 'sending' }],
    [lanes.queued, { state: 'queued' }],
    [outcomes.size - outcomes.unstored, { state: 'settling' }],
    [outcomes.unstored, { state: 'unstored' }],
  ]);
  metrics?.observe('postern.delivery.unstored.age', () => [[outcomes.unstoredMs / 1_000, {}]]);
  metrics?.observe('postern.delivery.slots', () => [[lanes.slots, {}]]);
  metrics?.observe('postern.delivery.leases', () => [[leases.size, {}]]);
  metrics?.observe('postern.delivery.lanes', () => {
    const known = lanes.limits();
    const narrowed = known.filter((limit) => limit < limits.initial).length;
    return [
      [known.length - narrowed, { state: 'open' }],
      [narrowed, { state: 'narrowed' }],
    ];
  });
}
