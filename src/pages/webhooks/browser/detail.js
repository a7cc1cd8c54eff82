/** One webhook: its situation, its figures and charts, what can be done, and its deliveries. */
import { attemptsChart, latencyChart } from './charts.js';
import { deliveries } from './deliveries.js';
import { h } from './elements.js';
import { bounded, count, deliveriesAre, duration, origin, percent, words } from './format.js';
import { menu } from './menu.js';
import { waitingFor } from './moments.js';
import { nameOf, situation, wasGivenUp, webhookBadge } from './state-of-webhook.js';

const tile = (label, value, note) =>
  h('div.tile', {}, h('dt', {}, label), h('dd', {}, value, note ? h('small', {}, note) : null));

function figures({ statistics, backlog }, now) {
  const { count: all, succeededCount, successRate, medianDurationMs, p95DurationMs } = statistics.total;
  const { pendingCount, heldCount, oldestPendingAt } = backlog;
  return h(
    'dl.tiles.small',
    {},
    tile(
      'Success rate',
      percent(successRate),
      all === 0 ? 'no attempts in this period' : `${count(all - succeededCount)} of ${count(all)} failed`,
    ),
    tile('Median latency', duration(medianDurationMs), `95 % within ${duration(p95DurationMs)}`),
    tile('Waiting', bounded(pendingCount), oldestPendingAt ? waitingFor(oldestPendingAt, now) : 'nothing is late'),
    tile('Held', bounded(heldCount), heldCount > 0 ? 'until retried' : 'none'),
  );
}

function actions(webhook, view) {
  const { busy, onEnable, onTest, onNotices, onEdit, onRotate, onDelete } = view;
  const { webhookId, isEnabled, accounts, receivesNotices, type } = webhook;
  const button = (name, label, onclick, style = '') =>
    h(
      `button${style}`,
      { type: 'button', 'data-key': name, 'aria-disabled': busy.has(name) ? 'true' : null, onclick },
      label,
    );
  const isTestable = isEnabled && type === 'AUTO';
  const first = () => {
    if (!isEnabled) return button('enable', 'Enable', () => onEnable(webhookId, true), '.primary');
    if (isTestable) return button('test', 'Send a test event', () => onTest(webhookId), '.primary');
    return button('edit', 'Edit', () => onEdit(webhook), '.primary');
  };
  return h(
    'div.actions',
    {},
    first(),
    menu(
      view,
      isEnabled && !isTestable ? null : button('edit', 'Edit', () => onEdit(webhook)),
      isEnabled ? button('disable', 'Disable', () => onEnable(webhookId, false)) : null,
      // Whoever is told of every webhook must listen to every account.
      accounts === null
        ? button('notices', receivesNotices ? 'Turn off notices' : 'Turn on notices', () =>
            onNotices(webhookId, !receivesNotices),
          )
        : null,
      button('rotate', 'Replace the secret', () => onRotate(webhook)),
      button('delete', 'Delete', () => onDelete(webhook), '.danger'),
    ),
  );
}

const address = ({ requestUrl }, { open }) =>
  h(
    'details.whole',
    {
      open: open.has('address'),
      ontoggle: ({ target }) => (target.open ? open.add('address') : open.delete('address')),
    },
    h(
      'summary',
      { 'data-key': 'address', title: 'Path and query may be secret: show the whole address' },
      origin(requestUrl),
    ),
    h('code', {}, requestUrl),
  );

const listens = ({ accounts, events, receivesNotices }) => {
  const to = accounts === null ? 'all accounts' : accounts.map(({ name, type }) => name ?? words(type)).join(', ');
  const notices = receivesNotices ? ' Gets a notice when the gateway disables another webhook.' : '';
  return h('p.quiet', {}, `Listens to ${to}${events?.length ? `: ${events.map(words).join(', ')}` : ''}.${notices}`);
};

/** Nothing sends what is held but a person, whatever is listed. */
const held = ({ heldCount }, { canWrite, onRetryHeld }) =>
  h(
    'p.notice.warn',
    {},
    `${deliveriesAre(heldCount)} held. What is held is sent only when you retry it.`,
    canWrite
      ? h(
          'button.link',
          { type: 'button', 'data-key': 'retry-held', 'aria-label': 'Retry all that are held', onclick: onRetryHeld },
          'Retry all',
        )
      : null,
  );

/** @param {object} view what the page shows: see main.js */
export function detail(webhook, view) {
  const { statistics, backlog } = webhook;
  const isManaged = statistics !== null && backlog !== null;
  const said = situation(webhook, view.now);
  const hasAttempts = isManaged && statistics.total.count > 0;
  const charted = { ...view, period: webhook.period };
  return h(
    'article.detail',
    { 'aria-labelledby': 'webhook' },
    h('a.back', { href: '#', 'data-key': 'back' }, '← All webhooks'),
    h(
      'header.card',
      {},
      h(
        'div.heading',
        {},
        h('h2', { id: 'webhook', tabindex: '-1' }, nameOf(webhook), ' ', webhookBadge(webhook)),
        isManaged && view.canWrite ? actions(webhook, view) : null,
      ),
      address(webhook, view),
      listens(webhook),
      said === null ? null : h(`p.notice.${wasGivenUp(webhook) ? 'bad' : 'warn'}`, {}, said),
      isManaged && webhook.isEnabled && backlog.heldCount > 0 ? held(backlog, view) : null,
      isManaged && !view.canWrite
        ? h('p.quiet', {}, 'Your key may look, but not act: it lacks the scope webhooks:write.')
        : null,
      isManaged
        ? null
        : h('p.quiet', {}, 'This webhook also listens to accounts beyond your key. You see the deliveries for yours.'),
    ),
    isManaged ? figures(webhook, view.now) : null,
    isManaged && !hasAttempts ? h('p.card.quiet', {}, 'No delivery was attempted in this period.') : null,
    hasAttempts
      ? h(
          'div.charts',
          {},
          h('div.card', {}, attemptsChart(statistics, charted)),
          h('div.card', {}, latencyChart(statistics, charted)),
        )
      : null,
    deliveries(webhook, { ...view, mayRetry: view.canWrite && isManaged && webhook.isEnabled }),
  );
}
