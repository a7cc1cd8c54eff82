/** All webhooks: figures of all of them, and the list. */
import { sparkline } from './charts.js';
import { h } from './elements.js';
import { ago, attempts as attemptsOf, bounded, count, duration, origin, percent } from './format.js';
import { byUrgency, nameOf, wasGivenUp, webhookBadge } from './state-of-webhook.js';

const sum = (values) => values.reduce((total, value) => total + value, 0);

const tile = (label, value, note, tone = '') =>
  h(`div.tile${tone && `.${tone}`}`, {}, h('dt', {}, label), h('dd', {}, value, note ? h('small', {}, note) : null));

function disabled(off, givenUp) {
  if (off === 0) return 'all enabled';
  if (givenUp === 0) return `${off} disabled`;
  return off === givenUp ? `${off} disabled after failures` : `${off} disabled, ${givenUp} after failures`;
}

/** Figures of all webhooks that are loaded. */
export function tiles(webhooks, now) {
  const known = webhooks.filter(({ statistics }) => statistics !== null);
  const attempts = sum(known.map(({ statistics }) => statistics.attempts.count));
  const succeeded = sum(known.map(({ statistics }) => statistics.attempts.succeededCount));
  const backlogs = webhooks.flatMap(({ backlog }) => backlog ?? []);
  const pending = sum(backlogs.map(({ pendingCount }) => pendingCount));
  const held = sum(backlogs.map(({ heldCount }) => heldCount));
  const oldest = backlogs.flatMap(({ oldestPendingAt }) => oldestPendingAt ?? []).sort()[0];
  const givenUp = webhooks.filter(wasGivenUp).length;
  const off = webhooks.filter(({ enabled }) => !enabled).length;
  const failed = attempts - succeeded;
  return h(
    'dl.tiles',
    {},
    tile('Webhooks', count(webhooks.length), disabled(off, givenUp), givenUp > 0 ? 'bad' : ''),
    tile('Success rate', percent(attempts === 0 ? null : succeeded / attempts), attemptsOf(attempts)),
    tile('Failed attempts', count(failed), 'in this period', failed > 0 ? 'warn' : ''),
    tile('Waiting', bounded(pending), oldest ? `oldest ${ago(oldest, now)}` : 'nothing is late'),
    tile('Held', bounded(held), held > 0 ? 'until you replay them' : 'none'),
  );
}

const rate = ({ attempts }) =>
  h('span.figure', {}, h('strong', {}, percent(attempts.successRate)), h('small', {}, attemptsOf(attempts.count)));

const latency = ({ attempts }) =>
  h('span.figure', {}, h('strong', {}, duration(attempts.p95DurationMs)), h('small', {}, '95 % within'));

const waiting = ({ pendingCount, heldCount }) =>
  h(
    'span.figure',
    {},
    h('strong', {}, bounded(pendingCount)),
    h('small', {}, heldCount > 0 ? `waiting, ${bounded(heldCount)} held` : 'waiting'),
  );

/** Nothing where nothing was sent: the card is as short as what it says. */
const chart = (statistics) => (statistics.attempts.count === 0 ? null : sparkline(statistics));

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

/** The list, the most urgent first. */
export function list({ webhooks, hasMore }, selectedId, onMore) {
  if (webhooks.length === 0) {
    return h(
      'div.empty.card',
      {},
      h('h2', {}, 'No webhooks yet'),
      h('p', {}, 'Create one with the mutation createWebhook in GraphiQL, or with POST /v1/webhooks. It appears here.'),
    );
  }
  return h(
    'nav.list',
    { 'aria-label': 'Webhooks' },
    h('ul', {}, ...byUrgency(webhooks).map((webhook) => row(webhook, webhook.webhookId === selectedId))),
    hasMore ? h('button', { type: 'button', onclick: onMore, 'data-key': 'more' }, 'Show more webhooks') : null,
  );
}
