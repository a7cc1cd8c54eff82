/**
 * Outcomes that wait to be settled. Those of a transaction that failed are set apart by their webhooks, and settled in
 * transactions of their own: what cannot be stored holds up its webhook alone, to which this process sends nothing
 * meanwhile.
 */
import { ServiceError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import { DatabaseFault, type FaultReason } from '../store/faults.ts';
import type { AttemptOutcome } from './settle.ts';

/** Outcomes of one webhook. */
export interface ApartOutcomes {
  readonly webhookId: string;
  readonly outcomes: readonly AttemptOutcome[];
  readonly failures: number;
  readonly notBefore: number;
}

const retryMs = { first: 1_000, most: 30_000 } as const;
/** Faults that other transactions may cause in one row. */
const faultsOfRows: ReadonlySet<FaultReason> = new Set(['slow', 'conflict']);
const isOfRows = (error: unknown) => error instanceof DatabaseFault && faultsOfRows.has(error.reason);
/** Whether the outcomes are not to blame: those of a commit without an answer may be stored. */
const isOfDatabase = (error: unknown) =>
  error instanceof DatabaseFault || (error instanceof ServiceError && error.outcomeUnknown === true);

type Delay = Pick<ApartOutcomes, 'failures' | 'notBefore'>;

export function createOutcomeBuffer(clock: Clock) {
  let waiting: AttemptOutcome[] = [];
  let parts: ApartOutcomes[] = [];
  /** Delays of webhooks with a row that somebody locks: each try of any part takes time from all others. */
  const delays = new Map<string, Delay>();
  /** The numbers of outcomes set apart, by webhook, and since when there are any. */
  const apart = new Map<string, { readonly count: number; readonly since: number }>();
  const setApart = (webhookId: string, outcomes: readonly AttemptOutcome[], failures = 0, notBefore = clock()) => {
    parts.push({ webhookId, outcomes, failures, notBefore });
  };
  const countApart = (webhookId: string, more: number) => {
    const { count, since } = apart.get(webhookId) ?? { count: 0, since: clock() };
    if (count + more > 0) apart.set(webhookId, { count: count + more, since });
    else apart.delete(webhookId);
  };
  const delayed = (part: ApartOutcomes): ApartOutcomes => {
    const { failures = 0, notBefore = 0 } = delays.get(part.webhookId) ?? {};
    return {
      ...part,
      failures: Math.max(part.failures, failures),
      notBefore: Math.max(part.notBefore, notBefore),
    };
  };
  const unstored = () => [...apart.values()].reduce((sum, { count }) => sum + count, 0);
  return {
    add(outcome: AttemptOutcome) {
      if (!apart.has(outcome.webhookId)) waiting.push(outcome);
      else {
        countApart(outcome.webhookId, 1);
        setApart(outcome.webhookId, [outcome]);
      }
    },
    take(): readonly AttemptOutcome[] {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    /** After `take`, if it could not be settled. @returns the webhooks that are set apart from now on; none for a fault of the whole database */
    returned(outcomes: readonly AttemptOutcome[], error: unknown): readonly string[] {
      if (isOfDatabase(error) && !isOfRows(error)) {
        // Of a webhook, the last decides how it is.
        waiting = [...outcomes, ...waiting];
        return [];
      }
      const byWebhook = Map.groupBy(outcomes, ({ webhookId }) => webhookId);
      for (const [webhookId, own] of byWebhook) {
        countApart(webhookId, own.length);
        setApart(webhookId, own);
      }
      return [...byWebhook.keys()];
    },
    /** With fewest failures first; ends with `settledApart` or `returnedApart`. @param isLast whether not to wait for a time */
    takeApart(isLast: boolean) {
      const now = clock();
      let [taken, takenAt]: [ApartOutcomes | null, number] = [null, -1];
      for (const [at, waitingPart] of parts.entries()) {
        const part = delayed(waitingPart);
        const isDue = isLast || part.notBefore <= now;
        if (isDue && (taken === null || part.failures < taken.failures)) [taken, takenAt] = [part, at];
      }
      if (taken !== null) parts = parts.toSpliced(takenAt, 1);
      return taken;
    },
    /** @returns whether the webhook is set apart no longer */
    settledApart({ webhookId, outcomes }: ApartOutcomes) {
      countApart(webhookId, -outcomes.length);
      const isOver = !apart.has(webhookId);
      const delay = delays.get(webhookId);
      if (isOver) delays.delete(webhookId);
      else if (delay !== undefined) delays.set(webhookId, { ...delay, notBefore: 0 });
      return isOver;
    },
    returnedApart({ webhookId, outcomes, failures }: ApartOutcomes, error: unknown) {
      const waitMs = Math.min(retryMs.most, retryMs.first * 2 ** failures);
      const later: Delay = { failures: failures + 1, notBefore: clock() + waitMs };
      const half = Math.ceil(outcomes.length / 2);
      if (isOfDatabase(error)) {
        delays.set(webhookId, later);
        setApart(webhookId, outcomes);
      } else if (outcomes.length > 1) {
        setApart(webhookId, outcomes.slice(0, half));
        setApart(webhookId, outcomes.slice(half));
      } else if (outcomes.some(({ attempt }) => attempt.response_body !== '' || attempt.response_headers !== null)) {
        // Nothing else of an outcome comes from outside.
        setApart(webhookId, outcomes.map(withoutResponse));
      } else setApart(webhookId, outcomes, later.failures, later.notBefore);
    },
    /** Webhooks whose outcomes could not be stored. */
    get apart() {
      return apart.keys();
    },
    /** Outcomes set apart. */
    get unstored() {
      return unstored();
    },
    /** Milliseconds since the first of them was set apart; 0 without any. */
    get unstoredMs() {
      return apart.size === 0 ? 0 : clock() - Math.min(...[...apart.values()].map(({ since }) => since));
    },
    /** All, but those that a flush has taken. */
    get size() {
      return waiting.length + unstored();
    },
  };
}

const withoutResponse = (outcome: AttemptOutcome): AttemptOutcome => ({
  ...outcome,
  attempt: { ...outcome.attempt, response_body: '', response_headers: null },
});
