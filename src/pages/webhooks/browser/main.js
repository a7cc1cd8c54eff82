/** The page: what it shows, when it reads, and what its buttons do. */
import { act, ask } from './api.js';
import { filters } from './deliveries.js';
import { detail } from './detail.js';
import { h, show } from './elements.js';
import { deliveriesAre } from './format.js';
import { watch } from './live.js';
import { list, tiles } from './overview.js';
import * as queries from './queries.js';
import { signIn } from './sign-in.js';
import { byUrgency } from './state-of-webhook.js';
import { forgetKey, readKey, storeKey } from './stored-key.js';

const periods = { HOUR: '1 hour', DAY: '24 hours', WEEK: '7 days', MONTH: '30 days' };
/** How long changes are collected before they are read, and how often is read without any. */
const collectMs = 700;
const pollMs = 30_000;
const deliveriesOfPage = 15;
/** Where there is room for the list and a webhook side by side: as in page.css. */
const wide = matchMedia('(min-width: 1100px)');

const place = (id) => document.getElementById(id);

const state = {
  period: 'DAY',
  filter: 'attention',
  pages: 1,
  deliveries: deliveriesOfPage,
  /** What was read; null until then. */
  viewer: null,
  webhooks: null,
  hasMore: false,
  webhook: null,
  /** The webhook that was read, and the one that is shown where none is chosen. */
  read: '',
  first: '',
  /** Whether a webhook was chosen whose heading is still to get the focus. */
  isArriving: false,
  /** Why nothing could be read. */
  problem: null,
  /** Names of buttons that are being carried out, and of what is folded open. */
  busy: new Set(),
  open: new Set(),
  attempts: new Map(),
};

let session = new AbortController();
/** Counts reads, so that one that is overtaken is dropped. */
let reads = 0;

/** Ids have no character that a URL would encode: any other text is the id of no webhook. */
const chosen = () => location.hash.slice(1);
/** The webhook that is shown: the chosen one, or where there is room the one that was most urgent at first. */
const selected = () => chosen() || (wide.matches ? state.first : '');

async function readWebhooks() {
  const webhooks = [];
  let after = null;
  for (let page = 0; page < state.pages; page += 1) {
    const data = await ask(queries.overview, { period: state.period, after });
    webhooks.push(...data.webhooks.nodes.filter(Boolean));
    state.viewer = data.viewer;
    state.hasMore = data.webhooks.pageInfo.hasNextPage;
    after = data.webhooks.pageInfo.endCursor;
    if (!state.hasMore) break;
  }
  return webhooks;
}

async function readWebhook(webhookId) {
  if (webhookId === '') return null;
  const { states } = filters[state.filter];
  const data = await ask(queries.detail, {
    webhookId,
    period: state.period,
    state: states,
    first: state.deliveries,
  });
  for (const key of state.open) if (key.startsWith('delivery-')) await readAttempts(key.slice('delivery-'.length));
  return data.webhook;
}

async function readAttempts(deliveryId) {
  const { delivery } = await ask(queries.attemptsOfDelivery, { deliveryId });
  state.attempts.set(deliveryId, delivery?.attempts.nodes ?? []);
}

/** Reads everything that is in view, and shows it. */
async function refresh() {
  const own = ++reads;
  try {
    const webhooks = await readWebhooks();
    if (own !== reads) return;
    state.webhooks = webhooks;
    state.first ||= byUrgency(webhooks)[0]?.webhookId ?? '';
    const read = selected();
    const webhook = await readWebhook(read);
    if (own !== reads) return;
    Object.assign(state, { webhook, read, problem: null });
  } catch (error) {
    if (own !== reads) return;
    if (error.isOfKey) return leave(error.message);
    state.problem = error.message;
  }
  render();
}

let isDue = false;
function refreshSoon() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    if (!document.hidden && readKey() !== '') refresh();
  }, collectMs);
}

/** Says what came of a button. */
function tell(text, tone = 'good') {
  show(
    place('notices'),
    h(
      `p.notice.${tone}`,
      {},
      text,
      h('button.link', { type: 'button', onclick: () => show(place('notices')) }, 'Close'),
    ),
  );
}

/** Carries out what a button says, once at a time. */
async function carryOut(name, work) {
  if (state.busy.has(name)) return;
  state.busy.add(name);
  render();
  try {
    tell(await work());
  } catch (error) {
    tell(error.message, 'bad');
  } finally {
    state.busy.delete(name);
    await refresh();
  }
}

const handlers = {
  onReplay: (deliveryId) =>
    carryOut(deliveryId, async () => {
      await act(queries.redeliver, { deliveryId });
      return 'The delivery is sent again.';
    }),
  onReplayAll: (webhookId, which) =>
    carryOut(which === 'HELD' ? 'replay-held' : 'replay-failed', async () => {
      const { count } = await act(queries.redeliverAll, { webhookId, state: which });
      return count === 0 ? `There are no ${which.toLowerCase()} deliveries.` : `${deliveriesAre(count)} sent again.`;
    }),
  onEnable: (webhookId, enabled) =>
    carryOut(enabled ? 'enable' : 'disable', async () => {
      await act(queries.setEnabled, { webhookId, enabled });
      return enabled
        ? 'The webhook is enabled. What was held stays held until you replay it.'
        : 'The webhook is disabled. Its deliveries are held.';
    }),
  onNotices: (webhookId, receives) =>
    carryOut('notices', async () => {
      await act(queries.setNotices, { webhookId, receives });
      return receives
        ? 'It gets a notice when the gateway disables another webhook.'
        : 'It gets no more notices of other webhooks.';
    }),
  onTest: (webhookId) =>
    carryOut('test', async () => {
      await act(queries.sendTest, { webhookId });
      return 'A test event is on its way.';
    }),
  onFilter(filter) {
    Object.assign(state, { filter, deliveries: deliveriesOfPage });
    render();
    refresh();
  },
  onMoreDeliveries() {
    state.deliveries = Math.min(250, state.deliveries + deliveriesOfPage * 2);
    refresh();
  },
  async onOpen(deliveryId) {
    render();
    await readAttempts(deliveryId).catch(({ message }) => tell(message, 'bad'));
    render();
  },
};

function periodChoice() {
  const buttons = Object.entries(periods).map(([period, label]) =>
    h(
      'button',
      {
        type: 'button',
        'data-key': `period-${period}`,
        'aria-pressed': String(period === state.period),
        onclick() {
          state.period = period;
          render();
          refresh();
        },
      },
      label,
    ),
  );
  return h('div.choice', { role: 'group', 'aria-label': 'Period' }, ...buttons);
}

function render() {
  const main = place('view');
  if (readKey() === '') return;
  const { viewer, webhooks, webhook, problem } = state;
  place('sign-out').hidden = false;
  place('whose').textContent = viewer === null ? '' : `${viewer.workspace.name} · key “${viewer.name}”`;
  const failure =
    problem === null
      ? null
      : h(
          'p.notice.bad',
          { role: 'alert' },
          problem,
          h('button.link', { type: 'button', onclick: refresh }, 'Try again'),
        );
  if (webhooks === null) return show(main, failure ?? h('p.empty', { role: 'status' }, 'Loading …'));
  const id = selected();
  const now = Date.now();
  const view = { ...state, ...handlers, now, canWrite: viewer.scopes.includes('WEBHOOKS_WRITE') };
  const side =
    webhook?.webhookId === id
      ? detail(webhook, view)
      : h('p.empty', { role: 'status' }, state.read === id ? 'Your key sees no such webhook.' : 'Loading …');
  main.dataset.view = chosen() === '' ? 'list' : 'detail';
  show(
    main,
    failure,
    h('div.bar', {}, tiles(webhooks, now), periodChoice()),
    h(
      'div.columns',
      {},
      list({ webhooks, hasMore: state.hasMore }, id, () => {
        state.pages += 1;
        refresh();
      }),
      id === '' ? null : side,
    ),
  );
  if (!state.isArriving || place('webhook') === null) return;
  state.isArriving = false;
  place('webhook').focus({ preventScroll: true });
}

const liveWords = { connecting: 'Connecting …', live: 'Live', offline: 'Reconnecting …' };

function enter() {
  session = new AbortController();
  render();
  refresh();
  watch({
    signal: session.signal,
    onChange: refreshSoon,
    onState(live) {
      place('live').textContent = liveWords[live];
      place('live').dataset.state = live;
      // What happened while nobody watched.
      if (live === 'live') refreshSoon();
    },
    // What is read next says why.
    onRefused: refresh,
  });
}

/** Forgets the key, and asks for another. */
function leave(problem = null) {
  session.abort();
  forgetKey();
  reads += 1;
  Object.assign(state, { viewer: null, webhooks: null, webhook: null, read: '', first: '', pages: 1, problem: null });
  place('sign-out').hidden = true;
  for (const id of ['whose', 'live']) place(id).textContent = '';
  show(place('notices'));
  delete place('view').dataset.view;
  show(
    place('view'),
    signIn(problem, (key) => {
      storeKey(key);
      enter();
    }),
  );
  place('key').focus();
}

addEventListener('hashchange', () => {
  Object.assign(state, { webhook: null, isArriving: true, filter: 'attention', deliveries: deliveriesOfPage });
  state.open.clear();
  state.attempts.clear();
  show(place('notices'));
  render();
  if (!wide.matches) scrollTo(0, 0);
  refresh();
});
wide.addEventListener('change', () => refresh());
document.addEventListener('visibilitychange', refreshSoon);
setInterval(refreshSoon, pollMs);
place('sign-out').addEventListener('click', () => leave());

if (readKey() === '') leave();
else enter();
