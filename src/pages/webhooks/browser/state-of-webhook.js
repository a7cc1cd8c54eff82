/** What is to be said of a webhook in a word, and how urgent it is. */

import { h } from './elements.js';
import { ago, at, attempts, deliveriesAre } from './format.js';

/** The states of a webhook, the most urgent first. */
const states = {
  disabled: { word: 'Disabled', tone: 'bad' },
  failing: { word: 'Failing', tone: 'bad' },
  retrying: { word: 'Retrying', tone: 'warn' },
  paused: { word: 'Paused', tone: 'warn' },
  ok: { word: 'Enabled', tone: 'good' },
  // Somebody wanted it so.
  off: { word: 'Disabled', tone: 'quiet' },
};

/** Whether it was disabled by the gateway, and not by a person. */
export const wasGivenUp = ({ health }) => health?.state === 'DISABLED_BY_GATEWAY';

const isFailing = ({ health }) => health?.state === 'FAILING';

function stateOf(webhook) {
  if (wasGivenUp(webhook)) return 'disabled';
  if (!webhook.isEnabled) return 'off';
  if (isFailing(webhook)) return 'failing';
  if (webhook.health?.failedAttemptCount > 0) return 'retrying';
  return webhook.health?.pausedUntil ? 'paused' : 'ok';
}

export function webhookBadge(webhook) {
  const { word, tone } = states[stateOf(webhook)];
  return badge(word, tone);
}

/** The same for a list: a word only for what is not as usual. */
export function webhookMark(webhook) {
  const state = stateOf(webhook);
  const { word, tone } = states[state];
  return [h(`span.dot.${tone}`), state === 'ok' ? h('span.unseen', {}, word) : badge(word, tone)];
}

const order = Object.keys(states);

/** The most urgent first; otherwise as they come. */
export const byUrgency = (webhooks) =>
  webhooks.toSorted((one, other) => order.indexOf(stateOf(one)) - order.indexOf(stateOf(other)));

export const badge = (word, tone) => h(`span.badge.${tone}`, {}, word);

const reasons = {
  GONE: 'because its endpoint responded that it no longer exists (410)',
  FAILING: 'because every attempt failed for five days',
  CALLER: 'by a request to the API',
};

/** What an owner has to know of a webhook in words; null if there is nothing. */
export function situation(webhook, now) {
  const { isEnabled, health, backlog } = webhook;
  if (!isEnabled) {
    const held = backlog?.heldCount
      ? ` ${deliveriesAre(backlog.heldCount)} held. What is held is sent only when you retry it, after you have enabled the webhook.`
      : '';
    if (!health?.disabledReason) return `It is disabled.${held}`;
    return `Disabled ${at(health.disabledAt)}, ${reasons[health.disabledReason] ?? 'by the gateway'}.${held}`;
  }
  const failed = attempts(health?.failedAttemptCount ?? 0);
  if (isFailing(webhook)) {
    return `${failed} in a row failed, since ${at(health.failingSince)} (${ago(health.failingSince, now)}). After five days of failures it will be disabled.`;
  }
  if (health?.failedAttemptCount > 0) return `${failed} failed, retrying.`;
  return health?.pausedUntil ? 'Its endpoint asked for a pause. Deliveries go on by themselves.' : null;
}

export const nameOf = ({ name }) => name || 'Webhook without a name';
