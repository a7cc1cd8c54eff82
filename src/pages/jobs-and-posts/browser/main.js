/** The page: which of its two parts is shown, by the address, and with which key. */
import { h, show } from './elements.js';
import { failureOf } from './failures.js';
import { ask } from './gateway.js';
import { createJobs } from './jobs.js';
import { keyForm } from './key-form.js';
import { accounts as accountsQuery, viewer as viewerQuery } from './page-queries.js';
import { createPosts } from './posts.js';
import { forgetKey, onKeyChange, readKey, storeKey } from './stored-key.js';

const main = document.getElementById('view');
const tabs = [...document.querySelectorAll('#parts a')];
const { sandbox, hasJobs } = JSON.parse(document.getElementById('options').textContent);

/** The parts of the page for the present key; null until its accounts are read. */
let parts = null;
let problem = null;

/** The address that is shown, and the place of its entry in the history: the way back to it, should one stay. */
let shownHash = location.hash;
let entry = history.state?.entry ?? 0;

/** `#jobs?id=1007`, `#jobs?new`, `#posts?account=…&of=…&company`: each place can be linked to, and the way back works. */
function place() {
  const [name, query = ''] = location.hash.slice(1).split('?');
  const isJobs = name === 'jobs' && hasJobs;
  return { name: isJobs ? 'jobs' : 'posts', parameters: new URLSearchParams(query) };
}

const hrefOf = (jobId) => (jobId === null ? '#jobs' : `#jobs?${new URLSearchParams({ id: jobId })}`);

const goTo = ({ accountId, identifier, isCompany }) => {
  const parameters = new URLSearchParams({ account: accountId, of: identifier });
  if (isCompany) parameters.set('company', 'yes');
  location.hash = `posts?${parameters}`;
};

/** Shows another address in the place of the present one. */
const replacePlace = (hash) => {
  history.replaceState(history.state, '', hash);
  shownHash = location.hash;
  render();
};

const isUnusable = ({ status }) => Number(status !== 'OK');

/** Those of the key, usable ones first: by their names, if it may read them. */
async function readAccounts({ scopes, accountIds }) {
  if (scopes.includes('ACCOUNTS_READ')) {
    const { nodes } = (await ask(accountsQuery)).data.accounts;
    return nodes.toSorted((a, b) => isUnusable(a) - isUnusable(b));
  }
  return (accountIds ?? []).map((accountId) => ({ accountId, name: null, type: null, status: 'OK' }));
}

async function enter() {
  close();
  problem = null;
  render();
  if (readKey() === '') return;
  const key = readKey();
  try {
    const { viewer } = (await ask(viewerQuery)).data;
    const accounts = await readAccounts(viewer);
    if (key !== readKey()) return;
    const handlers = {
      onChoice: goTo,
      onRefusedKey,
      hrefOf,
      replacePlace,
      canWrite: viewer.scopes.includes('JOBS_WRITE'),
    };
    parts = {
      accounts,
      lacksAccounts: viewer.accountIds === null && !viewer.scopes.includes('ACCOUNTS_READ'),
      posts: createPosts(accounts, sandbox, handlers),
      jobs: hasJobs ? createJobs(accounts, handlers) : null,
    };
  } catch (error) {
    if (key !== readKey()) return;
    if (error.isOfKey) return onRefusedKey(error);
    problem = failureOf(error).text;
  }
  render();
}

function close() {
  parts?.posts.close();
  parts?.jobs?.close();
  parts = null;
}

let refusal = null;
function onRefusedKey({ message }) {
  refusal = message;
  forgetKey();
}

const telling = (...contents) => show(main, h('p.empty', { role: 'status' }, ...contents));

function render() {
  const { name, parameters } = place();
  for (const tab of tabs) {
    if (tab.hash === `#${name}`) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
  if (readKey() === '') {
    const help =
      'A key with the scopes accounts:read, posts:read and jobs:read shows them, one with jobs:write also changes postings.';
    show(
      main,
      h(
        'div.card.sign-in',
        {},
        h('h2', {}, 'Whose jobs and posts?'),
        keyForm({ problem: refusal, help, onKey: storeKey }),
      ),
    );
    refusal = null;
    return;
  }
  if (problem !== null) return telling(problem, ' ', h('button', { type: 'button', onclick: enter }, 'Try again'));
  if (parts === null) return telling('Loading …');
  const part = parts[name];
  if (name === 'jobs') part.open(parameters.get('id'), parameters.has('new'));
  else if (parts.lacksAccounts)
    return telling('Your key may not list accounts: it lacks the scope accounts:read. Use another key.');
  else if (parts.accounts.length === 0) return telling('Your key sees no account that has posts.');
  else part.open(postsPlace(parameters));
  if (main.firstChild !== part.element) show(main, part.element);
}

/** Whose posts the address names; the first of the sandbox, or nobody's. */
function postsPlace(parameters) {
  const accountId = parameters.get('account') ?? parts.accounts[0].accountId;
  const { type } = parts.accounts.find((each) => each.accountId === accountId) ?? {};
  const [first = ''] = sandbox[type]?.[0] ?? [];
  return { accountId, identifier: parameters.get('of') ?? first, isCompany: parameters.has('company') };
}

const hasUnsaved = () => parts?.jobs?.hasUnsaved() ?? false;

/** The event comes once the address has changed: who stays is led back to the entry of the history. */
function onMove() {
  const next = history.state?.entry ?? entry + 1;
  history.replaceState({ entry: next }, '');
  if (location.hash !== shownHash) {
    if (hasUnsaved() && !confirm('Your changes are not saved. Leave without them?')) return history.go(entry - next);
    parts?.jobs?.discard();
    shownHash = location.hash;
    render();
  }
  entry = next;
}

history.replaceState({ entry }, '');
addEventListener('hashchange', onMove);
addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});
onKeyChange(enter);
enter();
