/** What is to be said of a webhook in a word, and how urgent it is. */

import { h } from './elements.js';
import { ago, at, deliveriesAre } from './format.js';

/** The states of a webhook, the most urgent first. */
const states = {
  disabled: { word: 'Disabled', tone: 'bad' },
  failing: { word: 'Failing', tone: 'warn' },
  paused: { word: 'Paused', tone: 'warn' },
  ok: { word: 'Enabled', tone: 'good' },
  // Somebody wanted it so.
  off: { word: 'Disabled', tone: 'quiet' },
};
const order = Object.keys(states);

/** Whether it was disabled by the gateway, and not by a person. */
export const wasGivenUp = ({ enabled, health }) =>
  !enabled && (health?.disabledReason === 'GONE' || health?.disabledReason === 'FAILING');

function stateOf(webhook) {
  if (wasGivenUp(webhook)) return 'disabled';
  if (!webhook.enabled) return 'off';
  if (webhook.health?.failingSince) return 'failing';
  return webhook.health?.pausedUntil ? 'paused' : 'ok';
}

export function webhookBadge(webhook) {
  const { word, tone } = states[stateOf(webhook)];
  return badge(word, tone);
}

export const badge = (word, tone) => h(`span.badge.${tone}`, {}, word);

/** The most urgent first; otherwise as they come. */
export const byUrgency = (webhooks) =>
  [...webhooks].sort((a, b) => order.indexOf(stateOf(a)) - order.indexOf(stateOf(b)));

const reasons = {
  GONE: 'because its endpoint responded that it no longer exists (410)',
  FAILING: 'because every attempt failed for five days',
  CALLER: 'by a request to the API',
};

/** What an owner has to know of a webhook in words; null if there is nothing. */
export function situation({ enabled, health, backlog }, now) {
  if (!enabled) {
    const held = backlog?.heldCount
      ? ` ${deliveriesAre(backlog.heldCount)} held, to be replayed once it is enabled.`
      : '';
    if (!health?.disabledReason) return `It is disabled.${held}`;
    return `Disabled ${at(health.disabledAt)}, ${reasons[health.disabledReason] ?? 'by the gateway'}.${held}`;
  }
  if (health?.failingSince) {
    return `Every attempt has failed since ${at(health.failingSince)} (${ago(health.failingSince, now)}). After five days it will be disabled.`;
  }
  return health?.pausedUntil ? 'Its endpoint asked for a pause. Deliveries go on by themselves.' : null;
}

export const nameOf = ({ name }) => name || 'Webhook without a name';
