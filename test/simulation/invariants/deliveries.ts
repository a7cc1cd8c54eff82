/** A delivery goes from one state to another only for the reasons that there are. */
import type { DeliveryTable } from '../../../src/store/schema.ts';
import { timing } from '../process.ts';
import { require } from '../world.ts';
import type { Commit, History } from './history.ts';
import { checkSettled } from './settlements.ts';
import { listens } from './snapshot.ts';

export function checkDeliveries(history: History, commit: Commit): void {
  for (const after of commit.after.deliveries.values()) {
    const before = commit.before.deliveries.get(after.id);
    if (before === undefined) checkNew(after);
    else checkChange(history, commit, before, after);
    trackDue(history, after);
  }
}

function checkNew({ id, attempts, attempts_before, next_at, claim_token, finished_at }: DeliveryTable): void {
  require(attempts === 0 &&
    attempts_before === 0 &&
    next_at === 0 &&
    claim_token === null &&
    finished_at === null, () => `the delivery ${id} did not begin at the beginning`);
}

function checkChange(history: History, commit: Commit, before: DeliveryTable, after: DeliveryTable): void {
  const { id } = after;
  require(after.attempts >= before.attempts, () => `the delivery ${id} lost attempts`);
  if (after.attempts > before.attempts) {
    checkSettled(history, commit, before, after);
    return;
  }
  const isRequeued =
    after.attempts_before !== before.attempts_before || (before.state !== 'pending' && after.state === 'pending');
  if (isRequeued) checkRequeued(history, commit, before, after);
  else if (before.state !== after.state) checkHeld(commit, before, after);
  if (after.claim_token !== null && after.claim_token !== before.claim_token)
    checkClaimed(history, commit, before, after);
  if (after.claim_token === null && before.claim_token !== null) checkFreed(history, commit, before, after);
  checkWait(history, commit, before, after);
}

/** What waits for its time waits until then, or until a pause of its destination ends. */
function checkWait(history: History, commit: Commit, before: DeliveryTable, after: DeliveryTable): void {
  const { id, webhook_id, next_at } = after;
  const wasWaiting = before.state === 'pending' && before.claim_token === null;
  if (!wasWaiting || after.state !== 'pending' || after.claim_token !== null || next_at === before.next_at) return;
  const early = before.next_at - commit.process.clock();
  require(early <= 0 || hasJumped(history), () => `the delivery ${id} was due ${early} ms early`);
  const pausedUntil = commit.after.webhooks.get(webhook_id)?.paused_until;
  require(next_at === 0 || next_at === pausedUntil, () => `the delivery ${id} waits until ${next_at} for no reason`);
}

const hasJumped = ({ world }: History) => Number.isFinite(world.jumpedAt);

function checkRequeued(
  { redeliveries, world }: History,
  { process }: Commit,
  before: DeliveryTable,
  after: DeliveryTable,
): void {
  const { id } = after;
  const asked = [...redeliveries].some((each) => each.process === process && each.covers(before));
  require(asked, () => `the delivery ${id} was ${before.state}, and nobody asked for its redelivery`);
  require(after.state === 'pending' &&
    after.attempts_before === placeOfRequeued(before) &&
    after.finished_at === null &&
    after.next_at === 0, () => `the delivery ${id} did not begin anew`);
  const leased = before.claim_token !== null && before.next_at > world.clock();
  require(!leased, () => `the delivery ${id} was requeued while a worker had it`);
}

/** A pending one goes on in its schedule, of which the attempt that is hastened takes nothing. */
const placeOfRequeued = ({ state, attempts, attempts_before }: DeliveryTable): number => {
  if (state !== 'pending') return attempts;
  return attempts > attempts_before ? attempts_before + 1 : attempts_before;
};

function checkHeld(
  { before: { holding }, after: { webhooks } }: Commit,
  before: DeliveryTable,
  after: DeliveryTable,
): void {
  const { id, webhook_id } = after;
  require(before.state === 'pending' && after.state === 'held', () =>
    `the delivery ${id} went from ${before.state} to ${after.state} without an attempt`);
  const webhook = webhooks.get(webhook_id);
  const isToHold =
    webhook === undefined || webhook.enabled === 0 || holding.has(webhook_id) || !listens(webhook, after);
  require(isToHold, () => `the delivery ${id} is held, although its webhook is enabled and listens to its account`);
}

/**
 * How long a claim takes from when it is asked for, which is when its lease begins, if the database works. If it does not, the
 * lease may be over with the commit. Then nothing is sent under it: see `checkBegin`.
 */
const promptMs = 5_000;

/** The process of a claim. */
const claimantOf = (token: string | null) => token?.split('.')[0] ?? '';

function checkClaimed(
  history: History,
  { process, before: { holding }, after: { webhooks } }: Commit,
  before: DeliveryTable,
  after: DeliveryTable,
): void {
  const { id, claim_token, next_at } = after;
  const clock = process.clock();
  const webhook = webhooks.get(after.webhook_id);
  require(before.state === 'pending' && after.state === 'pending', () =>
    `the delivery ${id} was claimed as ${before.state}`);
  require(claimantOf(claim_token) === process.id, () => `the delivery ${id} was claimed for somebody else`);
  require(webhook?.enabled === 1, () => `the delivery ${id} was claimed for a disabled webhook`);
  require(!holding.has(after.webhook_id), () => `the delivery ${id} was claimed, and is to be held`);
  require(webhook !== undefined && listens(webhook, after), () =>
    `the delivery ${id} was claimed for an account not listened to`);
  for (const attempt of history.attempts.get(id) ?? []) attempt.superseded ||= attempt.process !== process;
  const isOwn = claimantOf(before.claim_token) === process.id;
  if (hasJumped(history)) return;
  require(webhook.paused_until <= clock, () => `the delivery ${id} was claimed although its destination is paused`);
  require(before.next_at <= clock || isOwn, () => `the delivery ${id} was claimed ${before.next_at - clock} ms early`);
  const isLate = history.world.databaseFaults.lastAt > history.world.scheduler.now - promptMs;
  const shortest = isLate ? Number.NEGATIVE_INFINITY : timing.leaseMs - promptMs;
  require(next_at - clock <= timing.leaseMs && next_at - clock >= shortest, () =>
    `the lease of the delivery ${id} ends in ${next_at - clock} ms`);
}

/** A claim ends without an attempt: it was given back, or its process is dead, or its delivery was requeued or held. */
function checkFreed(
  { world }: History,
  { process, after: { webhooks } }: Commit,
  before: DeliveryTable,
  after: DeliveryTable,
): void {
  const claimant = claimantOf(before.claim_token);
  const isSetAside = after.next_at === webhooks.get(after.webhook_id)?.paused_until;
  require(after.next_at === 0 || isSetAside, () => `the delivery ${after.id} was given back, and is not due`);
  if (claimant === process.id || !world.isAlive(claimant)) return;
  require(before.next_at <= process.clock(), () => `the delivery ${after.id} was taken from a worker that is alive`);
}

function trackDue({ dueSince, world }: History, { id, state, next_at, claim_token }: DeliveryTable): void {
  const isWaiting = state !== 'pending' || (claim_token === null && next_at > 0);
  if (isWaiting) dueSince.delete(id);
  else if (!dueSince.has(id)) dueSince.set(id, world.scheduler.now);
}
