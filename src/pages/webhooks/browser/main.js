/** The page: what it shows, when it reads, and what its buttons do. */
import { copyText } from './clipboard.js';
import { create } from './create.js';
import { detail } from './detail.js';
import { h, show } from './elements.js';
import { filterOf, noFilter, withChange } from './filters.js';
import { follow } from './follow.js';
import { words } from './format.js';
import { act } from './gateway.js';
import { keyForm } from './key-form.js';
import * as manage from './manage.js';
import { closeMenu } from './menu.js';
import { sayPassing } from './moments.js';
import * as notices from './notices.js';
import { tell } from './notices.js';
import { isEmpty, listOf, tiles } from './overview.js';
import * as queries from './queries.js';
import { isShort, readData, readFigures, readPage, skippedBy, unread, variablesFor, withMore } from './reading.js';
import { readDelivery, readDetail } from './reading-detail.js';
import { readExactly } from './request.js';
import { retry, retryAll, retryEach } from './retrying.js';
import { forgetSignatures } from './signatures.js';
import * as skeletons from './skeletons.js';
import { forgetKey, onKeyChange, readKey, storeKey } from './stored-key.js';
import { testOf } from './testing.js';

const periods = { HOUR: '1 hour', DAY: '24 hours', WEEK: '7 days', MONTH: '30 days' };
/** Figures are read this often at most, while there are changes, and without any for what time alone changes. */
const figuresMs = 10_000;
const idleMs = 60_000;
/** The first attempt is not waited for as long. */
const firstMs = 1_000;
/** What is said of times that pass, such as `next in 21 sec.`, is said anew this often. */
const passingMs = 5_000;
/** How long one may pause in typing before it is searched for. */
const searchMs = 300;
const deliveriesOfPage = 15;
/** Where there is room for the list and a webhook side by side: as in page.css. */
const wide = matchMedia('(min-width: 1100px)');

const place = (id) => document.getElementById(id);

const state = {
  period: 'DAY',
  filter: noFilter,
  /** What is typed into the search, which the list follows in a while. */
  typed: '',
  /** How many deliveries are to be listed. */
  wanted: deliveriesOfPage,
  /** What was read; null until then. */
  viewer: null,
  list: unread(),
  webhook: null,
  /** The webhook that was read, and the one that is shown where none is chosen. */
  read: '',
  first: '',
  /** Whether a webhook or delivery was chosen that is still to get the focus. */
  isArriving: false,
  /** Why nothing could be read. */
  problem: null,
  /** Names of events that do not reach the gateway. */
  unsent: [],
  /** Names of buttons that are being carried out, and of what is folded open. */
  busy: new Set(),
  open: new Set(),
  /** Of deliveries: what was read of them, the attempt that is shown, and those that are selected. */
  contentsOf: new Map(),
  attemptOf: new Map(),
  marked: new Set(),
  /** The statuses of its deliveries that were seen, to filter by. */
  statuses: new Set(),
  /** The secret that is typed to compute signatures. */
  secret: '',
  /** The span of time that a chart points at. */
  pointed: new Map(),
};

let session = new AbortController();
/** Counts reads, so that one that is overtaken is dropped. */
let reads = 0;
/** The newest of each delivery that changed during a read, which may have got an older one; null while nothing is read. */
let changes = null;

/** Ids have no character that a URL would encode: any other text is the id of no webhook. */
const chosen = () => location.hash.slice(1).split('/', 1)[0];
/** Of a delivery. */
const addressOf = ({ webhookId, deliveryId }) => `#${webhookId}/${deliveryId}`;
/** The delivery of it that was searched for. */
const searchedFor = () => location.hash.split('/')[1];
/** The webhook that is shown: the chosen one, or where there is room the one that was worst at first. */
const selected = () => chosen() || (wide.matches ? state.first : '');

function applyTo(webhook, delivery) {
  if (webhook?.webhookId !== delivery.webhookId) return;
  webhook.deliveries.nodes = withChange(webhook.deliveries.nodes, delivery, state.filter);
}

/** The newest read of the contents of each delivery: one that is overtaken is dropped. */
const contentReads = new Map();

async function readContents(deliveryId) {
  const own = Symbol(deliveryId);
  contentReads.set(deliveryId, own);
  const { delivery } = await readData(queries.contentsOfDelivery, { deliveryId }, { read: readExactly });
  if (contentReads.get(deliveryId) === own) state.contentsOf.set(deliveryId, delivery);
}

async function showContents(deliveryId) {
  await readContents(deliveryId).catch(({ message }) => tell(message, 'bad'));
  render();
}

/** Nothing waits for it, as the gateway asks the service first. A proxy may keep it from browsers. */
async function refreshUnsent() {
  const unsent = await fetch('/readyz')
    .then((response) => response.json())
    .then(
      ({ events_not_sent_by_service: events }) => events ?? [],
      () => state.unsent,
    );
  if (String(unsent) === String(state.unsent)) return;
  state.unsent = unsent;
  renderSoon();
}

/** Reads everything that is in view, and shows it. */
async function refresh() {
  const own = ++reads;
  changes = new Map();
  lastRead = Date.now();
  refreshUnsent();
  try {
    const readList = isShort(state.list) ? readPage : readFigures;
    const { viewer, list } = await readList(state.list, state.period);
    if (own !== reads) return;
    Object.assign(state, { viewer, list });
    startWatching(viewer);
    state.first ||= list.webhooks[0]?.webhookId ?? '';
    const read = selected();
    const webhook = read === '' ? null : await readDetail(read, state);
    if (own !== reads) return;
    for (const change of changes.values()) applyTo(webhook, change);
    Object.assign(state, { webhook, read, problem: null });
    notices.setReadable(true, refresh);
  } catch (error) {
    if (own !== reads) return;
    if (error.isOfKey) return refuse(error.message);
    notices.setReadable(!error.isUnreachable, refresh);
    state.problem = error.isUnreachable ? null : error.message;
  }
  changes = null;
  render();
}

let lastRead = 0;
let timer;

/** Figures follow changes, but not each of them; nothing is read for a page that nobody sees. */
function refreshSoon(wait = figuresMs) {
  clearTimeout(timer);
  if (document.hidden || readKey() === '') return;
  const due = Math.max(0, lastRead + wait - Date.now());
  timer = setTimeout(async () => {
    await refresh();
    refreshSoon(idleMs);
  }, due);
}

/** A delivery that was created or attempted: its row is shown as it is now, and figures are read in a while. */
function onChange(delivery) {
  refreshSoon(isFirst(delivery) ? firstMs : figuresMs);
  changes?.set(delivery.deliveryId, delivery);
  if (state.webhook?.webhookId !== delivery.webhookId) return;
  applyTo(state.webhook, delivery);
  if (state.open.has(`delivery-${delivery.deliveryId}`)) showContents(delivery.deliveryId);
  renderSoon();
}

/** Whether figures that say that nothing was attempted are wrong from now on. */
function isFirst({ webhookId, lastAttempt }) {
  const { viewer, webhook } = state;
  const shown = [viewer?.workspace.webhookSummary, webhook?.webhookId === webhookId ? webhook : null];
  return lastAttempt !== null && shown.some((each) => each?.statistics?.total.count === 0);
}

let isRendering = false;

/** Hundreds of changes in a second are one picture. */
function renderSoon() {
  if (isRendering) return;
  isRendering = true;
  setTimeout(() => {
    isRendering = false;
    render();
  }, 200);
}

/** Carries out what a button says, once at a time. @param {() => Promise<string | Parameters<typeof tell>>} work */
async function carryOut(name, work) {
  if (state.busy.has(name)) return;
  state.busy.add(name);
  render();
  const { signal } = session;
  const said = await work().catch(({ message }) => [message, 'bad']);
  state.busy.delete(name);
  // The key may have been forgotten meanwhile.
  if (signal.aborted) return;
  tell(...[said].flat());
  await refresh();
}

let searching;

/** Shows a delivery that is searched for by its id, which has 22 characters. @returns {Promise<boolean>} whether there is one */
async function showDelivery(typed) {
  const deliveryId = typed.trim();
  const found = /^[\w-]{22}$/.test(deliveryId) ? await readDelivery(deliveryId, state.viewer) : null;
  if (found === null || state.typed !== typed) return false;
  state.typed = '';
  location.hash = addressOf(found);
  // The same address again is no change of it.
  state.isArriving = true;
  return true;
}

/** Shows other deliveries. */
function choose(filter) {
  if (state.filter.deliveryId !== '') history.replaceState(null, '', `#${chosen()}`);
  Object.assign(state, { filter: { ...state.filter, deliveryId: '', ...filter }, wanted: deliveriesOfPage });
  state.marked.clear();
  render();
  refresh();
}

const onDone = (said) => {
  tell(said);
  refresh();
};

const handlers = {
  onRetry: (delivery) =>
    carryOut(delivery.deliveryId, async () => [await retry(delivery), 'good', addressOf(delivery)]),
  onRetryMarked: (deliveries) =>
    carryOut('retry-marked', async () => {
      const said = await retryEach(deliveries);
      state.marked.clear();
      return said;
    }),
  onRetryAll: () => retryAll(state.webhook.webhookId, state.filter, onDone),
  onRetryHeld: () => retryAll(state.webhook.webhookId, { ...noFilter, state: 'held' }, onDone),
  onMark(ids, isMarked) {
    for (const id of ids) {
      if (isMarked) state.marked.add(id);
      else state.marked.delete(id);
    }
    render();
  },
  onEnable: (webhookId, enabled) =>
    carryOut(enabled ? 'enable' : 'disable', async () => {
      await act(queries.update, { input: { webhookId, isEnabled: enabled } });
      return enabled
        ? 'The webhook is enabled. What was held stays held until you retry it.'
        : 'The webhook is disabled. Its deliveries are held.';
    }),
  onNotices: (webhookId, receives) =>
    carryOut('notices', async () => {
      await act(queries.update, { input: { webhookId, receivesNotices: receives } });
      return receives
        ? 'It gets a notice when the gateway disables another webhook.'
        : 'It gets no more notices of other webhooks.';
    }),
  onTest: (webhookId) =>
    carryOut('test', async () => {
      tell('The test event is on its way …');
      const { text, tone, deliveryId } = await testOf(webhookId);
      return [text, tone, deliveryId ? addressOf({ webhookId, deliveryId }) : null];
    }),
  onCreate: () =>
    create(state.viewer, (webhookId) => {
      tell('The webhook is created.');
      Object.assign(state, { list: unread(), typed: '' });
      location.hash = webhookId;
    }).catch(({ message }) => tell(message, 'bad')),
  onEdit: (webhook) =>
    manage
      .edit(webhook, state.viewer, () => onDone('The webhook is changed.'))
      .catch(({ message }) => tell(message, 'bad')),
  onRotate: manage.rotateSecret,
  onDelete: (webhook) =>
    manage.remove(webhook, () => {
      state.first = '';
      location.hash = '';
      tell('The webhook is deleted.');
    }),
  onMenu() {
    if (!state.open.delete('menu')) state.open.add('menu');
    render();
  },
  onFilter: choose,
  onListing(listing) {
    state.list = unread(listing, state.typed);
    refresh();
  },
  onSearch(typed) {
    state.typed = typed;
    clearTimeout(searching);
    searching = setTimeout(async () => {
      const isShown = await showDelivery(typed).catch(() => false);
      if (state.typed !== (isShown ? '' : typed)) return;
      state.list = unread(state.list.listing, state.typed);
      refresh();
    }, searchMs);
  },
  onMore() {
    state.list = withMore(state.list);
    refresh();
  },
  async onCopy(text, said) {
    try {
      await copyText(text);
      tell(said);
    } catch ({ message }) {
      tell(`Not copied. ${message}`, 'bad');
    }
  },
  onMoreDeliveries() {
    state.wanted = Math.min(250, state.wanted + deliveriesOfPage * 2);
    refresh();
  },
  onOpen(deliveryId) {
    const key = `delivery-${deliveryId}`;
    const isOpen = !state.open.delete(key);
    if (isOpen) state.open.add(key);
    render();
    if (isOpen) showContents(deliveryId);
  },
  onAttempt(deliveryId, number) {
    state.attemptOf.set(deliveryId, number);
    render();
  },
  onSecret(secret) {
    state.secret = secret;
    render();
  },
  onSigned: () => renderSoon(),
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
          state.pointed.clear();
          render();
          refresh();
        },
      },
      label,
    ),
  );
  return h('div.segments', { role: 'group', 'aria-label': 'Period' }, ...buttons);
}

/** What is wrong, above everything else. */
function problems({ problem, unsent }) {
  const [skipped, ...others] = [...skippedBy.values()].flat();
  return [
    problem === null
      ? null
      : h(
          'p.notice.bad',
          { role: 'alert' },
          problem,
          h('button.link', { type: 'button', onclick: () => refresh() }, 'Try again'),
        ),
    skipped === undefined
      ? null
      : h('p.notice.bad', { role: 'status' }, `${others.length + 1} could not be read: ${skipped.message}`),
    unsent.length === 0
      ? null
      : h(
          'p.notice.bad',
          { role: 'status' },
          // A notice spreads its children.
          h(
            'span',
            {},
            `The service does not send these events: ${unsent.map(words).join(', ')}. `,
            'The operator of the gateway sees why with ',
            h('code', {}, 'npm run intake -- sync'),
            '.',
          ),
        ),
  ];
}

/** The webhook beside the list. */
function side(id, view) {
  if (id === '') return null;
  if (state.webhook?.webhookId === id) return detail(state.webhook, view);
  if (state.read !== id) return skeletons.webhook();
  return h('p.empty', { role: 'status' }, 'Your key sees no such webhook.');
}

function render() {
  const main = place('view');
  if (readKey() === '') return;
  const { viewer, list, typed } = state;
  const wrong = problems(state);
  if (viewer === null) return show(main, ...wrong, state.problem === null ? skeletons.page(wide.matches) : null);
  const id = selected();
  const now = Date.now();
  const canWrite = viewer.scopes.includes('WEBHOOKS_WRITE');
  const view = { ...state, ...handlers, now, canWrite };
  main.dataset.view = chosen() === '' ? 'list' : 'detail';
  const { webhookSummary } = viewer.workspace;
  const isManaging = webhookSummary !== null;
  show(
    main,
    ...wrong,
    isEmpty({ ...list, typed })
      ? null
      : h('div.bar', {}, tiles(webhookSummary, { ...handlers, now, listing: list.listing }), periodChoice()),
    h('div.columns', {}, listOf({ ...list, ...handlers, typed, selectedId: id, isManaging, canWrite }), side(id, view)),
  );
  if (state.isArriving) arrive(main);
}

/** Focuses what was chosen, once it is there: the heading of a webhook, or a delivery, which may be far below. */
function arrive(main) {
  const heading = place('webhook');
  if (heading === null) return;
  const deliveryId = searchedFor();
  const row = deliveryId ? main.querySelector(`[data-key="delivery-${CSS.escape(deliveryId)}"]`) : null;
  // Before its contents are there, the page is too short to scroll to it.
  if (row !== null && !state.contentsOf.has(deliveryId)) return;
  state.isArriving = false;
  (row ?? heading).focus({ preventScroll: true });
  row?.closest('section').scrollIntoView();
}

/** The session that watches changes. */
let watching = null;

async function startWatching(viewer) {
  if (watching === session) return;
  watching = session;
  const { signal } = session;
  const onLive = (isLive) => {
    if (signal.aborted) return;
    notices.setStream(isLive ? 'live' : 'offline');
    // What happened while nobody watched.
    if (isLive) refreshSoon(0);
  };
  try {
    for await (const delivery of follow(queries.changes, variablesFor(viewer), { signal, onLive })) onChange(delivery);
  } catch (error) {
    if (error.isOfKey) return refuse(error.message);
    // What is read next says why.
    onLive(false);
    refreshSoon(0);
  }
}

/** Lists the delivery that the address names, unfolded. */
function openSearched() {
  const deliveryId = searchedFor();
  state.filter = filterOf(deliveryId);
  if (!deliveryId) return;
  state.isArriving = true;
  handlers.onOpen(deliveryId);
}

async function enter() {
  session = new AbortController();
  notices.setStream('connecting');
  openSearched();
  render();
  await refresh();
  refreshSoon(idleMs);
}

/** What belongs to the webhook that is shown. */
function forgetWebhook() {
  Object.assign(state, { webhook: null, filter: noFilter, wanted: deliveriesOfPage, secret: '' });
  const { open, contentsOf, attemptOf, marked, statuses, pointed } = state;
  for (const each of [open, contentsOf, attemptOf, marked, statuses, pointed, contentReads]) each.clear();
  forgetSignatures();
}

/** Why the key was refused. */
let refusal = null;

/** Forgets the key, and asks for another. */
function refuse(problem) {
  refusal = problem;
  forgetKey();
}

/** Nothing is left of the key that was there. */
function leave() {
  session.abort();
  skippedBy.clear();
  for (const waiting of [timer, searching]) clearTimeout(waiting);
  reads += 1;
  forgetWebhook();
  Object.assign(state, { viewer: null, list: unread(), typed: '', read: '', first: '', problem: null });
  notices.clear();
  delete place('view').dataset.view;
  const help = 'A key with the scope webhooks:read shows them, one with webhooks:write also changes them.';
  const form = keyForm({ problem: refusal, help, onKey: storeKey });
  show(place('view'), h('div.card.sign-in', {}, h('h2', {}, 'How are your webhooks?'), form));
  refusal = null;
  form.querySelector('input').focus();
}

function start() {
  leave();
  if (readKey() !== '') enter();
}

addEventListener('hashchange', () => {
  forgetWebhook();
  openSearched();
  state.isArriving = true;
  render();
  if (!wide.matches) scrollTo(0, 0);
  refresh();
});
setInterval(() => {
  if (!document.hidden) sayPassing(Date.now());
}, passingMs);
closeMenu(state, (hasFocus) => {
  render();
  if (hasFocus) document.querySelector('[data-key="menu"]')?.focus();
});
wide.addEventListener('change', () => refresh());
document.addEventListener('visibilitychange', () => refreshSoon());
onKeyChange(start);
start();
