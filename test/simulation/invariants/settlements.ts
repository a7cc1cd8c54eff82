/** What is stored of an attempt is what happened, and what follows from it is the retry schedule, to its jitter. */
import type { DeliveryAttemptTable, DeliveryTable } from '../../../src/store/schema.ts';
import type { Attempt } from '../process.ts';
import { require } from '../world.ts';
import type { Commit, History } from './history.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** As the README has it. */
export const schedule = [
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  12 * hour,
  24 * hour,
  28 * hour,
];
const jitter = 1 / 5;
const longestRetryAfter = 12 * hour;

type Response = NonNullable<Attempt['ended']>['response'];

export const isSuccess = ({ status, failure }: Response): boolean =>
  failure === null && status !== null && status >= 200 && status < 300;

/** Whether there was no request, because of a fault of the gateway's own. */
export const isUnsent = ({ status, failure }: Response): boolean => failure === null && status === null;

export function checkSettled(
  history: History,
  { process, after: { webhooks, holding } }: Commit,
  before: DeliveryTable,
  after: DeliveryTable,
): void {
  const { id } = after;
  require(after.attempts === before.attempts + 1, () => `the delivery ${id} got several attempts at once`);
  require(after.claim_token === null, () => `the delivery ${id} is still claimed after its attempt`);
  require(before.claim_token?.startsWith(`${process.id}.`) === true, () =>
    `the delivery ${id} was settled without its lease`);
  const attempt = settledAttempt(history, process.id, after);
  attempt.settled = true;
  if (attempt.ended === null) return;
  const { response, onClock } = attempt.ended;
  const place = after.attempts - before.attempts_before;
  const isGone = response.failure === null && response.status === 410;
  const isLast = isGone || place > schedule.length;
  if (isSuccess(response) || isLast) {
    checkFinished(after, isSuccess(response) ? 'succeeded' : 'failed');
    return;
  }
  const webhook = webhooks.get(after.webhook_id);
  // What is pending while its webhook is being disabled is held behind it.
  const isToHold = webhook?.enabled === 0 && !holding.has(webhook.id);
  const state = before.state === 'held' || isToHold ? 'held' : 'pending';
  require(after.state === state && after.finished_at === null, () =>
    `the delivery ${id} is ${after.state}, not ${state}, after attempt ${place}`);
  if (history.world.jumpedAt >= attempt.beganAt) return;
  const wait = schedule[place - 1] ?? 0;
  const asked = Math.min(secondsOf(response.retryAfter), longestRetryAfter);
  const earliest = onClock + Math.max(wait * (1 - jitter), asked) - 1;
  const latest = process.clock() + Math.max(wait * (1 + jitter), asked) + 1;
  require(after.next_at >= earliest && after.next_at <= latest, () =>
    `after attempt ${place} the delivery ${id} waits for ${after.next_at - onClock} ms, not about ${wait}`);
}

const secondsOf = (retryAfter: string | null): number =>
  /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * second : 0;

/** The attempt that was stored last: it was made by this process. */
function settledAttempt(
  { attempts, world }: History,
  processId: string,
  { id, attempts: number }: DeliveryTable,
): Attempt {
  const [stored] = world.database.all<DeliveryAttemptTable>(
    'select * from delivery_attempts where delivery_id = ? and number = ?',
    id,
    number,
  );
  require(stored !== undefined, () => `attempt ${number} of the delivery ${id} is not stored`);
  const made = (attempts.get(id) ?? []).find(
    ({ process, ended, settled, beganOnClock }) =>
      process.id === processId && ended !== null && !settled && beganOnClock === stored.started_at,
  );
  require(made?.ended != null, () => `attempt ${number} of the delivery ${id} was never made`);
  const { at, response } = made.ended;
  const { status, failure } = response;
  require(stored.status === status && stored.failure === failure, () =>
    `attempt ${number} of the delivery ${id} is stored otherwise`);
  require(stored.duration_ms === at - made.beganAt, () =>
    `attempt ${number} of the delivery ${id} took ${at - made.beganAt} ms, not ${stored.duration_ms}`);
  return made;
}

function checkFinished({ id, state, finished_at, next_at }: DeliveryTable, expected: string): void {
  require(state === expected && finished_at !== null && next_at === 0, () =>
    `the delivery ${id} is ${state}, not ${expected}`);
}
