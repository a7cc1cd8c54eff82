/** One attempt: a claimed delivery becomes a request, and its answer an outcome. */
import type { Outbound, OutboundResponse } from '../security/outbound.ts';
import { contentTypes } from './payload.ts';
import type { Job } from './queue.ts';
import { judge } from './retry-policy.ts';
import type { Outcome } from './settle.ts';
import { signatureHeaders } from './signature.ts';

export interface SendContext {
  readonly outbound: Outbound;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly deadlineMs: number;
}

/** Makes the attempt. It rejects only where something is wrong with us, not with the endpoint. */
export async function send(
  { outbound, now, random, deadlineMs }: SendContext,
  { deliveryId, claim, target, payload, number, attempt }: Job,
): Promise<Outcome> {
  const startedAt = now().getTime();
  const started = performance.now();
  const body = Buffer.from(payload);
  const own = signatureHeaders({ id: deliveryId, now: startedAt, body }, target.secrets);
  const headers = [...own, ...withDefaults(target)];
  const answer = await outbound.post({ url: target.url, headers, body, deadlineMs });
  return {
    deliveryId,
    claim,
    webhookId: target.webhookId,
    wasFailing: target.failing,
    verdict: judge(answer, { attempt, now: now().getTime(), random }),
    attempt: {
      delivery_id: deliveryId,
      number,
      started_at: startedAt,
      // Measured by a clock that never jumps.
      duration_ms: Math.round(performance.now() - started),
      status: answer.status,
      failure: answer.failure,
      answer: answerText(answer),
    },
  };
}

/** The headers that the owner of the webhook has set, and the defaults of those that are not among them. */
function withDefaults({ format, headers }: Job['target']): string[] {
  const set = headers.map(({ key, value }): [string, string] => [key.toLowerCase(), value]);
  const names = new Set(set.map(([name]) => name));
  const defaults: [string, string][] = [
    ['content-type', contentTypes[format]],
    ['user-agent', 'Postern'],
  ];
  return [...defaults.filter(([name]) => !names.has(name)), ...set].flat();
}

/** What came back as text that any database keeps: Postgres has no U+0000. */
const answerText = ({ body }: OutboundResponse): string => body.toString('utf8').replaceAll('\0', '\uFFFD');
