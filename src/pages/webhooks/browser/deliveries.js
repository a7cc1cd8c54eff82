/** The deliveries of a webhook as a table: filters, a choice of many, and each to be folded open. */
import { contents, toneOf } from './delivery.js';
import { h } from './elements.js';
import { responses, states, times } from './filters.js';
import { ago, atBriefly, atSecond, capital, outcome, until, words } from './format.js';
import { passing } from './moments.js';
import { badge } from './state-of-webhook.js';

const tones = { SUCCEEDED: 'good', FAILED: 'bad', HELD: 'quiet', PENDING: 'warn' };

const titleOf = ({ event, notice }) => capital(words(event ?? notice ?? 'trigger fired'));

/** Whether a retry makes sense: not while it is being sent. */
export const isRetriable = ({ state, nextAttemptAt }) => state !== 'PENDING' || nextAttemptAt !== null;

const verbOf = ({ state }) => (state === 'PENDING' ? 'Send now' : 'Retry');

function timing({ state, nextAttemptAt, createdAt, finishedAt }, now) {
  if (state === 'PENDING') return nextAttemptAt ? `next ${until(nextAttemptAt, now)}` : 'being sent';
  if (state === 'HELD') return `since ${ago(createdAt, now)}`;
  return ago(finishedAt ?? createdAt, now);
}

const columns = 6;

function row(delivery, view) {
  const { now, mayRetry, busy, open, contentsOf, marked, onRetry, onOpen, onMark } = view;
  const { deliveryId, account, state, attemptCount, createdAt, lastAttempt } = delivery;
  const key = `delivery-${deliveryId}`;
  const title = titleOf(delivery);
  const isOpen = open.has(key);
  const verb = verbOf(delivery);
  return h(
    'tbody.delivery',
    {},
    h(
      'tr',
      {},
      mayRetry
        ? h(
            'td.mark',
            {},
            h('input', {
              type: 'checkbox',
              'data-key': `mark-${deliveryId}`,
              'aria-label': `Select ${title} of ${atSecond(createdAt)}`,
              checked: marked.has(deliveryId),
              onchange: ({ target }) => onMark([deliveryId], target.checked),
            }),
          )
        : null,
      h(
        'th.what',
        { scope: 'row' },
        h(
          'button.opens',
          { type: 'button', 'data-key': key, 'aria-expanded': String(isOpen), onclick: () => onOpen(deliveryId) },
          title,
        ),
        account ? h('small', {}, account.name ?? words(account.type)) : null,
        h('small.brief', {}, atBriefly(createdAt)),
      ),
      h(
        'td.state',
        {},
        badge(capital(words(state)), tones[state] ?? 'quiet'),
        passing('small', (at) => timing(delivery, at), now),
      ),
      h(
        `td.outcome.${toneOf(lastAttempt)}`,
        {},
        h('strong', {}, outcome(lastAttempt)),
        attemptCount > 1 ? h('small', {}, `${attemptCount} attempts`) : null,
      ),
      h('td.when', {}, h('time', { datetime: createdAt }, atSecond(createdAt))),
      mayRetry
        ? h(
            'td.act',
            {},
            isRetriable(delivery)
              ? h(
                  'button',
                  {
                    type: 'button',
                    'data-key': `redeliver-${deliveryId}`,
                    'aria-label': `${verb} ${title} of ${atSecond(createdAt)}`,
                    'aria-disabled': busy.has(deliveryId) ? 'true' : null,
                    onclick: () => onRetry(delivery),
                  },
                  verb,
                )
              : null,
          )
        : null,
    ),
    isOpen
      ? h('tr.opened', {}, h('td', { colspan: columns }, contents(contentsOf.get(deliveryId), delivery, view)))
      : null,
  );
}

const select = (name, label, options, { filter, onFilter }) =>
  h(
    'select',
    {
      'aria-label': label,
      'data-key': `filter-${name}`,
      onchange: ({ target }) => onFilter({ [name]: target.value }),
    },
    ...(options instanceof Map ? [...options] : Object.entries(options)).map(([value, { label: text }]) =>
      h('option', { value, selected: filter[name] === value }, text),
    ),
  );

function filters({ nodes, events }, view) {
  const { statuses } = view;
  for (const { lastAttempt } of nodes) if (lastAttempt?.status) statuses.add(lastAttempt.status);
  const seen = [...statuses].sort().map((status) => [String(status), { label: String(status) }]);
  const named = Object.fromEntries((events ?? []).map((name) => [name, { label: capital(words(name)) }]));
  return h(
    'div.filters',
    { role: 'group', 'aria-label': 'Which deliveries' },
    view.filter.deliveryId === ''
      ? null
      : h(
          'button',
          { type: 'button', 'data-key': 'all-deliveries', onclick: () => view.onFilter({}) },
          'Show all deliveries',
        ),
    select('state', 'State', states, view),
    // A list of pairs, as an object would sort the statuses first.
    select('response', 'Response', new Map([...Object.entries(responses), ...seen]), view),
    events?.length > 1 ? select('event', 'Event', { '': { label: 'All events' }, ...named }, view) : null,
    select('time', 'Time', times, view),
  );
}

function nothing({ filter }, { pageInfo, isCut }) {
  if (filter.deliveryId !== '') return 'This delivery is no longer kept.';
  if (isCut) return 'None among the latest 1,000 deliveries.';
  if (pageInfo.hasNextPage) return 'None among the latest deliveries.';
  const { state, response, event, time } = filter;
  const isPlain = response === '' && time === '';
  const which = event === '' ? '' : ` of “${words(event)}”`;
  if (isPlain && state === 'attention') return `Nothing${which} failed, is held or waits. All is well.`;
  return isPlain && state === 'all' ? `No deliveries${which} yet.` : 'No delivery fits the filter.';
}

/** Everything that is listed, or what is marked of it. */
function choice(nodes, view) {
  const { marked, filter, busy, onMark, onRetryMarked, onRetryAll } = view;
  const ids = nodes.filter(isRetriable).map(({ deliveryId }) => deliveryId);
  const chosen = nodes.filter(({ deliveryId }) => marked.has(deliveryId));
  const isAll = ids.length > 0 && ids.every((id) => marked.has(id));
  const verb = chosen.length > 0 && chosen.every(({ state }) => state === 'PENDING') ? 'Send' : 'Retry';
  // Whoever filters by more than the API can, chooses what to retry.
  const canAll =
    filter.response === '' && filter.event === '' && filter.state !== 'succeeded' && filter.state !== 'all';
  const button = (name, label, onclick) =>
    h('button', { type: 'button', 'data-key': name, 'aria-disabled': busy.has(name) ? 'true' : null, onclick }, label);
  return h(
    'div.chosen',
    {},
    h(
      'label.box',
      {},
      h('input', {
        type: 'checkbox',
        'data-key': 'mark-all',
        checked: isAll,
        disabled: ids.length === 0,
        onchange: ({ target }) => onMark(ids, target.checked),
      }),
      chosen.length === 0 ? 'Select all' : `${chosen.length} selected`,
    ),
    chosen.length > 0
      ? button('retry-marked', `${verb} ${chosen.length}${verb === 'Send' ? ' now' : ''}`, () => onRetryMarked(chosen))
      : canAll
        ? button('retry-all', 'Retry all', () => onRetryAll())
        : null,
  );
}

/** @param {object} view what the page shows: see main.js */
export function deliveries(webhook, view) {
  const { nodes, pageInfo } = webhook.deliveries;
  const whole = { ...view, webhook };
  return h(
    'section.card.deliveries',
    { 'aria-labelledby': 'deliveries' },
    h(
      'div.heading',
      {},
      h('h3', { id: 'deliveries' }, 'Deliveries'),
      filters({ nodes, events: webhook.events }, whole),
    ),
    view.mayRetry && nodes.length > 0 ? choice(nodes, whole) : null,
    nodes.length === 0
      ? h('p.empty', {}, nothing(view, webhook.deliveries))
      : h(
          'table',
          { 'aria-labelledby': 'deliveries' },
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              view.mayRetry ? h('td.mark', {}) : null,
              ...['Event', 'State', 'Response', 'Created'].map((name) =>
                h('th', { scope: 'col', class: name === 'Created' ? 'when' : null }, name),
              ),
              view.mayRetry ? h('td.act', {}) : null,
            ),
          ),
          ...nodes.map((each) => row(each, whole)),
        ),
    pageInfo.hasNextPage
      ? h(
          'button',
          { type: 'button', 'data-key': 'more-deliveries', onclick: view.onMoreDeliveries },
          'Show more deliveries',
        )
      : null,
  );
}
