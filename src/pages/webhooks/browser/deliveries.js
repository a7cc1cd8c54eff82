/** The deliveries of a webhook, with their attempts and a button to replay each. */
import { h } from './elements.js';
import { ago, at, atSecond, attempts as attemptsOf, capital, duration, outcome, until, words } from './format.js';
import { badge } from './state-of-webhook.js';

const tones = { SUCCEEDED: 'good', FAILED: 'bad', HELD: 'quiet', PENDING: 'warn' };

/** What the list can show: the states of each choice. */
export const filters = {
  attention: { label: 'Needs attention', states: ['FAILED', 'HELD', 'PENDING'] },
  all: { label: 'All', states: null },
};

function attemptsTable(attempts) {
  if (attempts === undefined) return h('p.quiet', {}, 'Loading …');
  if (attempts.length === 0) return h('p.quiet', {}, 'No attempt yet.');
  return h(
    'ol.attempts',
    {},
    ...attempts.map((attempt) =>
      h(
        'li',
        {},
        h('span', {}, atSecond(attempt.startedAt)),
        h('strong', {}, outcome(attempt)),
        h('span', {}, duration(attempt.durationMs)),
      ),
    ),
  );
}

function timing({ state, nextAttemptAt, createdAt, finishedAt }, now) {
  if (state === 'PENDING') return nextAttemptAt ? `next attempt ${until(nextAttemptAt, now)}` : 'being sent';
  if (state === 'HELD') return `held, from ${ago(createdAt, now)}`;
  return ago(finishedAt ?? createdAt, now);
}

function item(delivery, { now, canWrite, isEnabled, busy, open, attempts, onReplay, onOpen }) {
  const { deliveryId, event, notice, state, attemptCount, createdAt, lastAttempt } = delivery;
  const key = `delivery-${deliveryId}`;
  const title = event === null ? capital(words(notice ?? 'trigger fired')) : capital(words(event));
  const isReplayable = canWrite && isEnabled && state !== 'PENDING';
  return h(
    'li.delivery',
    {},
    h(
      'div.summary',
      {},
      h(
        'span.what',
        {},
        h('strong', {}, title),
        h('small', { title: deliveryId }, h('time', { datetime: createdAt }, at(createdAt))),
      ),
      h('span.state', {}, badge(capital(words(state)), tones[state] ?? 'quiet'), h('small', {}, timing(delivery, now))),
      h('span.outcome', {}, h('strong', {}, outcome(lastAttempt)), h('small', {}, attemptsOf(attemptCount))),
      isReplayable
        ? h(
            'button',
            {
              type: 'button',
              'data-key': `replay-${deliveryId}`,
              'aria-label': `Replay ${title} of ${at(createdAt)}`,
              'aria-disabled': busy.has(deliveryId) ? 'true' : null,
              onclick: () => onReplay(deliveryId),
            },
            'Replay',
          )
        : h('span.no-button', {}),
    ),
    h(
      'details',
      {
        open: open.has(key),
        ontoggle: ({ target }) => {
          if (target.open === open.has(key)) return;
          if (target.open) open.add(key);
          else open.delete(key);
          if (target.open) onOpen(deliveryId);
        },
      },
      h('summary', { 'data-key': key }, 'Attempts'),
      open.has(key) ? attemptsTable(attempts.get(deliveryId)) : null,
    ),
  );
}

/** @param {object} view what the page shows: see main.js */
export function deliveries({ nodes, pageInfo }, filter, view) {
  const tabs = Object.entries(filters).map(([name, { label }]) =>
    h(
      'button',
      {
        type: 'button',
        'data-key': `filter-${name}`,
        'aria-pressed': String(name === filter),
        onclick: () => view.onFilter(name),
      },
      label,
    ),
  );
  return h(
    'section.card.deliveries',
    { 'aria-labelledby': 'deliveries' },
    h(
      'div.heading',
      {},
      h('h3', { id: 'deliveries' }, 'Deliveries'),
      h('div.choice', { role: 'group', 'aria-label': 'Which deliveries' }, ...tabs),
    ),
    nodes.length === 0
      ? h(
          'p.empty',
          {},
          filter === 'attention' ? 'Nothing failed, is held or waits. All is well.' : 'No deliveries yet.',
        )
      : h('ul', {}, ...nodes.map((each) => item(each, view))),
    pageInfo.hasNextPage
      ? h(
          'button',
          { type: 'button', 'data-key': 'more-deliveries', onclick: view.onMoreDeliveries },
          'Show more deliveries',
        )
      : null,
  );
}
