/** The deliveries of a webhook, with their payload, their attempts and a button to redeliver each. */
import { h } from './elements.js';
import { ago, atSecond, attempts as attemptsOf, capital, duration, outcome, until, words } from './format.js';
import { badge } from './state-of-webhook.js';

const tones = { SUCCEEDED: 'good', FAILED: 'bad', HELD: 'quiet', PENDING: 'warn' };

/** What the list can show: the states of each choice. */
export const filters = {
  attention: { label: 'Needs attention', states: ['FAILED', 'HELD', 'PENDING'] },
  all: { label: 'All', states: null },
};

/**
 * A list after a change of a delivery: in its place, or on top, unless the choices leave it out.
 * @param {{ filter: string, event: string }} view
 */
export function withChange(nodes, delivery, { filter, event }) {
  const { states } = filters[filter];
  const isShown = (states === null || states.includes(delivery.state)) && (event === '' || event === delivery.event);
  const index = nodes.findIndex(({ deliveryId }) => deliveryId === delivery.deliveryId);
  if (index === -1) return isShown ? [delivery, ...nodes] : nodes;
  return isShown ? nodes.with(index, delivery) : nodes.toSpliced(index, 1);
}

/** @param {object | undefined} read undefined until it was read; null if it is gone */
function contents(read, { deliveryId, account }) {
  if (read === undefined) return h('p.quiet', {}, 'Loading …');
  if (read === null) return h('p.quiet', {}, 'This delivery is no longer kept.');
  const { data } = read;
  const attempts = read.attempts.nodes;
  return h(
    'div.contents',
    {},
    h('p.quiet', {}, `webhook-id ${deliveryId}${account ? ` · account ${account.accountId}` : ''}`),
    attempts.length === 0
      ? h('p.quiet', {}, 'No attempt yet.')
      : h(
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
        ),
    data === null
      ? null
      : h(
          'pre',
          {
            tabindex: '0',
            'aria-label': 'Data of the event',
            'data-scrolls': `data-${deliveryId}`,
            'data-key': `data-${deliveryId}`,
          },
          JSON.stringify(data, null, 2),
        ),
  );
}

function timing({ state, nextAttemptAt, createdAt, finishedAt }, now) {
  if (state === 'PENDING') return nextAttemptAt ? `next attempt ${until(nextAttemptAt, now)}` : 'being sent';
  if (state === 'HELD') return `held, from ${ago(createdAt, now)}`;
  return ago(finishedAt ?? createdAt, now);
}

function item(delivery, { now, canWrite, isEnabled, busy, open, contentsOf, onRedeliver, onCopy, onOpen }) {
  const { deliveryId, event, notice, account, state, attemptCount, createdAt, lastAttempt, nextAttemptAt } = delivery;
  const key = `delivery-${deliveryId}`;
  const title = event === null ? capital(words(notice ?? 'trigger fired')) : capital(words(event));
  const isWaiting = state === 'PENDING';
  const isRedeliverable = canWrite && isEnabled && (!isWaiting || nextAttemptAt);
  const verb = isWaiting ? 'Send now' : 'Redeliver';
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
        h(
          'small',
          {},
          account ? `${account.name ?? words(account.type)} · ` : '',
          h('time', { datetime: createdAt }, atSecond(createdAt)),
        ),
        h(
          'button.link.id',
          {
            type: 'button',
            'data-key': `copy-${deliveryId}`,
            'aria-label': `Copy the id ${deliveryId}`,
            title: `Copy ${deliveryId}, the webhook-id of its requests`,
            onclick: () => onCopy(deliveryId),
          },
          h('code', {}, deliveryId),
        ),
      ),
      h('span.state', {}, badge(capital(words(state)), tones[state] ?? 'quiet'), h('small', {}, timing(delivery, now))),
      h('span.outcome', {}, h('strong', {}, outcome(lastAttempt)), h('small', {}, attemptsOf(attemptCount))),
      isRedeliverable
        ? h(
            'button',
            {
              type: 'button',
              'data-key': `redeliver-${deliveryId}`,
              'aria-label': `${verb} ${title} of ${atSecond(createdAt)}`,
              'aria-disabled': busy.has(deliveryId) ? 'true' : null,
              onclick: () => onRedeliver(deliveryId, isWaiting),
            },
            verb,
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
      h('summary', { 'data-key': key }, 'Attempts and data'),
      open.has(key) ? contents(contentsOf.get(deliveryId), delivery) : null,
    ),
  );
}

const eventChoice = (events, { event, onEvent }) =>
  h(
    'select',
    { 'aria-label': 'Event', 'data-key': 'event', onchange: ({ target }) => onEvent(target.value) },
    h('option', { value: '', selected: event === '' }, 'All events'),
    ...events.map((name) => h('option', { value: name, selected: event === name }, capital(words(name)))),
  );

function nothing(filter, event) {
  const which = event === '' ? '' : ` of “${words(event)}”`;
  return filter === 'attention'
    ? `Nothing${which} failed, is held or waits. All is well.`
    : `No deliveries${which} yet.`;
}

/** @param {object} view what the page shows: see main.js */
export function deliveries({ deliveries: { nodes, pageInfo }, events }, view) {
  const { filter, event } = view;
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
      events?.length > 1 ? eventChoice(events, view) : null,
      h('div.choice', { role: 'group', 'aria-label': 'Which deliveries' }, ...tabs),
    ),
    nodes.length === 0
      ? h('p.empty', {}, pageInfo.hasNextPage ? 'None among the latest deliveries.' : nothing(filter, event))
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
