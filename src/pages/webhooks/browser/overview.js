/** All webhooks: their figures, and the list. */
import { sparkline } from './charts.js';
import { h } from './elements.js';
import { ago, attempts, bounded, count, duration, origin, percent } from './format.js';
import { listings } from './reading.js';
import { nameOf, webhookBadge } from './state-of-webhook.js';

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

/** Figures of all webhooks of the workspace, by the server. @param {object | null} summary null for a limited key */
export function tiles(summary, now) {
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
    tile('Webhooks', count(summary.count), disabled(summary), disabledByGatewayCount > 0 ? 'bad' : ''),
    tile('Failing', count(failingCount), failingCount === 0 ? 'none' : 'listed first', failingCount > 0 ? 'bad' : ''),
    tile('Success rate', percent(successRate), all === 0 ? 'no attempts in this period' : attempts(all)),
    tile('Failed attempts', count(failed), 'in this period', failed > 0 ? 'warn' : ''),
    tile('Waiting', bounded(pendingCount), oldestPendingAt ? `oldest ${ago(oldestPendingAt, now)}` : 'nothing is late'),
    tile('Held', bounded(heldCount), heldCount > 0 ? 'until redelivered' : 'none'),
  );
}

const rate = ({ total }) =>
  h(
    'span.figure',
    {},
    h('strong', {}, percent(total.successRate)),
    h('small', {}, total.count === 0 ? 'no attempts' : attempts(total.count)),
  );

const latency = ({ total }) =>
  h('span.figure', {}, h('strong', {}, duration(total.p95DurationMs)), h('small', {}, '95 % within'));

const waiting = ({ pendingCount, heldCount }) =>
  h(
    'span.figure',
    {},
    h('strong', {}, bounded(pendingCount)),
    h('small', {}, heldCount > 0 ? `waiting, ${bounded(heldCount)} held` : 'waiting'),
  );

/** Nothing where nothing was sent: the card is as short as what it says. */
const chart = (statistics) => (statistics.total.count === 0 ? null : sparkline(statistics));

function row(webhook, isSelected) {
  const { webhookId, requestUrl, statistics, backlog } = webhook;
  return h(
    'li',
    {},
    h(
      'a.webhook',
      { href: `#${webhookId}`, 'data-key': `webhook-${webhookId}`, 'aria-current': isSelected ? 'true' : null },
      h('span.name', {}, h('strong', {}, nameOf(webhook)), webhookBadge(webhook)),
      h('span.address', {}, origin(requestUrl)),
      statistics === null || backlog === null
        ? h('span.shared', {}, 'Shared with accounts beyond your key: its statistics are not shown.')
        : h('span.figures', {}, rate(statistics), latency(statistics), waiting(backlog), chart(statistics)),
    ),
  );
}

const choice = ({ listing, onListing }) =>
  h(
    'div.choice',
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
    'aria-label': 'Search by name',
    placeholder: 'Search by name',
    maxlength: 255,
    'data-key': 'search',
    value: typed,
    oninput: ({ target }) => onSearch(target.value),
  });

function none({ listing, search }) {
  if (search !== '') return h('p.empty', {}, `No webhook has “${search}” in its name.`);
  if (listing !== 'all') return h('p.empty', {}, `No webhook is ${listings[listing].label.toLowerCase()}.`);
  return h(
    'div.empty.card',
    {},
    h('h2', {}, 'No webhooks yet'),
    h('p', {}, 'Create one here, with the mutation createWebhook, or with POST /v1/webhooks.'),
  );
}

/** @param {object} view what the page shows: see main.js */
export function listOf(view) {
  const { webhooks, hasMore, selectedId, isManaging, canWrite, onCreate, onMore } = view;
  return h(
    'nav.list',
    { 'aria-label': 'Webhooks' },
    h(
      'div.heading',
      {},
      isManaging ? choice(view) : null,
      canWrite ? h('button', { type: 'button', 'data-key': 'create', onclick: onCreate }, 'Create a webhook') : null,
    ),
    webhooks?.length === 0 && view.search === '' && view.typed === '' ? null : searchBox(view),
    webhooks === null ? h('p.empty', { role: 'status' }, 'Loading …') : null,
    webhooks?.length === 0 ? none(view) : null,
    h('ul', {}, ...(webhooks ?? []).map((webhook) => row(webhook, webhook.webhookId === selectedId))),
    webhooks !== null && hasMore
      ? h('button', { type: 'button', onclick: onMore, 'data-key': 'more' }, 'Show more webhooks')
      : null,
  );
}
