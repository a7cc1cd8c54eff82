/** All webhooks: their figures, and the list. */
import { steps } from './create.js';
import { h } from './elements.js';
import { attempts, bounded, count, hostOf, origin, percent } from './format.js';
import { waitingFor } from './moments.js';
import { listings } from './reading.js';
import * as skeletons from './skeletons.js';
import { nameOf, webhookMark } from './state-of-webhook.js';

const tile = (label, value, note, tone = '') =>
  h(`div.tile${tone && `.${tone}`}`, {}, h('dt', {}, label), h('dd', {}, value, note ? h('small', {}, note) : null));

function disabled({ count: all, disabledCount, disabledByGatewayCount }) {
  if (all === 0) return 'none yet';
  if (disabledCount === 0) return 'all enabled';
  if (disabledByGatewayCount === 0) return `${count(disabledCount)} disabled`;
  return disabledCount === disabledByGatewayCount
    ? `${count(disabledCount)} disabled after failures`
    : `${count(disabledCount)} disabled, ${count(disabledByGatewayCount)} after failures`;
}

/** A figure that lists those that it counts. */
function failing(value, { listing, onListing }) {
  if (value === 0 && listing !== 'failing') return '0';
  return h(
    'button.counter',
    {
      type: 'button',
      'data-key': 'count-failing',
      'aria-label': `${count(value)} failing: list only these`,
      'aria-pressed': String(listing === 'failing'),
      onclick: () => onListing(listing === 'failing' ? 'all' : 'failing'),
    },
    count(value),
  );
}

/** Figures of all webhooks of the workspace, by the server. @param {object | null} summary null for a limited key */
export function tiles(summary, view) {
  if (summary === null) {
    return h('p.quiet.limited', {}, 'Figures of all webhooks are for keys of all accounts. Yours is limited to some.');
  }
  const { failingCount, disabledByGatewayCount, backlog, statistics } = summary;
  const { count: all, succeededCount, successRate } = statistics.total;
  const { pendingCount, heldCount, oldestPendingAt } = backlog;
  const failed = all - succeededCount;
  return h(
    'dl.tiles',
    {},
    tile(
      'Success rate',
      percent(successRate),
      all === 0 ? 'no attempts in this period' : `${count(failed)} of ${attempts(all)} failed`,
      `main${failed > 0 ? '.warn' : ''}`,
    ),
    tile(
      'Failing',
      failing(failingCount, view),
      failingCount === 0 ? 'no webhook' : 'listed first',
      failingCount > 0 ? 'bad' : '',
    ),
    tile('Waiting', bounded(pendingCount), oldestPendingAt ? waitingFor(oldestPendingAt, view.now) : 'nothing is late'),
    tile('Held', bounded(heldCount), heldCount > 0 ? 'until retried' : 'none'),
    tile('Webhooks', count(summary.count), disabled(summary), disabledByGatewayCount > 0 ? 'bad' : ''),
  );
}

const rate = ({ total }) => h('span.rate', { title: attempts(total.count) }, percent(total.successRate));

const waiting = ({ pendingCount, heldCount }) =>
  [
    [pendingCount, 'waiting'],
    [heldCount, 'held'],
  ]
    .filter(([value]) => value > 0)
    .map(([value, word]) => `${bounded(value)} ${word}`)
    .join(', ');

function row(webhook, isSelected) {
  const { webhookId, requestUrl, statistics, backlog } = webhook;
  const isManaged = statistics !== null && backlog !== null;
  return h(
    'li',
    {},
    h(
      'a.webhook',
      { href: `#${webhookId}`, 'data-key': `webhook-${webhookId}`, 'aria-current': isSelected ? 'true' : null },
      h('span.name', { title: nameOf(webhook) }, h('strong', {}, nameOf(webhook)), ...webhookMark(webhook)),
      h('span.address', { title: origin(requestUrl) }, hostOf(requestUrl)),
      h('span.waiting', {}, isManaged ? waiting(backlog) : 'shared'),
      isManaged ? rate(statistics) : h('span.rate', { title: 'Its statistics are not for your key.' }, '–'),
    ),
  );
}

const choice = ({ listing, onListing }) =>
  h(
    'div.segments',
    { role: 'group', 'aria-label': 'Which webhooks' },
    ...Object.entries(listings).map(([name, { label }]) =>
      h(
        'button',
        {
          type: 'button',
          'data-key': `listing-${name}`,
          'aria-pressed': String(name === listing),
          onclick: () => onListing(name),
        },
        label,
      ),
    ),
  );

const searchBox = ({ typed, onSearch }) =>
  h('input', {
    type: 'search',
    'aria-label': 'Search by name, address or webhook-id',
    placeholder: 'Search by name, address or webhook-id',
    maxlength: 255,
    'data-key': 'search',
    value: typed,
    oninput: ({ target }) => onSearch(target.value),
  });

function none({ listing, search, canWrite, onCreate }) {
  if (search !== '')
    return h('p.empty', {}, `No webhook has “${search}” in its name or address, and no delivery as its webhook-id.`);
  if (listing !== 'all') return h('p.empty', {}, `No webhook is ${listings[listing].label.toLowerCase()}.`);
  return guide(canWrite, onCreate);
}

/** What there is to do in a workspace without webhooks, as the steps of the form. */
const guide = (canWrite, onCreate) =>
  h(
    'div.empty.card',
    {},
    h('h2', {}, 'No webhooks yet'),
    h('ol.guide', {}, ...steps.map(({ name, text }) => h('li.lead', {}, h('strong', {}, name), h('span', {}, text)))),
    canWrite
      ? h('button.primary', { type: 'button', 'data-key': 'create', onclick: onCreate }, 'Create a webhook')
      : h('p', {}, 'Your key may look, but not create one: it lacks the scope webhooks:write.'),
  );

/** Whether the workspace has no webhook, as far as the key sees. */
export const isEmpty = ({ webhooks, listing, search, typed }) =>
  webhooks?.length === 0 && listing === 'all' && search === '' && typed === '';

/** @param {object} view what the page shows: see main.js */
export function listOf(view) {
  const { webhooks, hasMore, selectedId, isManaging, canWrite, onCreate, onMore } = view;
  return h(
    'nav.list',
    { 'aria-label': 'Webhooks' },
    isEmpty(view)
      ? null
      : h(
          'div.heading',
          {},
          isManaging ? choice(view) : null,
          canWrite
            ? h('button.primary', { type: 'button', 'data-key': 'create', onclick: onCreate }, 'Create a webhook')
            : null,
        ),
    isEmpty(view) ? null : searchBox(view),
    webhooks === null ? skeletons.rows() : null,
    webhooks?.length === 0 ? none(view) : null,
    h('ul', {}, ...(webhooks ?? []).map((webhook) => row(webhook, webhook.webhookId === selectedId))),
    webhooks !== null && hasMore
      ? h('button', { type: 'button', onclick: onMore, 'data-key': 'more' }, 'Show more webhooks')
      : null,
  );
}
