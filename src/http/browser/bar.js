/** The key in the bar of each page: whose it is, which accounts it may use, and the form for another. */
import { accounts as accountsQuery } from './bar-accounts.js';
import { whose } from './bar-queries.js';
import { h, show } from './elements.js';
import { ask } from './gateway.js';
import { keyForm } from './key-form.js';
import { forgetKey, onKeyChange, readKey, storeKey } from './stored-key.js';

const button = document.getElementById('bar-key');
const panel = document.getElementById('bar-whose');

/** By their names, if the gateway knows them and the key may. */
async function accountsOf({ scopes, accountIds }) {
  if (accountIds === null) return 'all';
  if (!scopes.includes('ACCOUNTS_READ')) return accountIds.join(', ');
  const { nodes = [] } = await ask(accountsQuery).then(
    ({ data }) => data.accounts,
    () => ({}),
  );
  const names = new Map(nodes.map(({ accountId, name }) => [accountId, name]));
  return accountIds.map((id) => names.get(id) || id).join(', ');
}

/** What the panel shows while it is open. */
let contents = () => [];

function present(text, isMissing, next) {
  button.textContent = text;
  button.classList.toggle('missing', isMissing);
  button.hidden = false;
  contents = next;
  if (panel.matches(':popover-open')) show(panel, contents());
}

const offerForm = (problem = null) => present('No key', true, () => [keyForm({ problem, onKey: storeKey })]);

async function showKey() {
  panel.hidePopover();
  const key = readKey();
  if (key === '') return offerForm();
  try {
    const { viewer } = (await ask(whose)).data;
    const accounts = await accountsOf(viewer);
    if (key !== readKey()) return;
    const facts = { Workspace: viewer.workspace?.name, Key: viewer.name, Accounts: accounts };
    const shown = Object.entries(facts).filter(([, value]) => value);
    present(viewer.name || 'Key', false, () => [
      h('dl', {}, ...shown.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
      h('p', {}, 'Only this tab keeps the key.'),
      forgetting(),
    ]);
  } catch (error) {
    if (key !== readKey()) return;
    if (error.isOfKey) return offerForm(error.message);
    // With keys of a service, this gateway cannot say whose they are.
    const text = error.status === 400 ? 'The service behind the gateway knows whose key this is.' : error.message;
    present('Key', false, () => [h('p', { role: 'status' }, text), forgetting()]);
  }
}

const forgetting = () => h('button', { type: 'button', onclick: forgetKey }, 'Forget the key');

panel.addEventListener('beforetoggle', ({ newState }) => show(panel, newState === 'open' ? contents() : null));
panel.addEventListener('toggle', ({ newState }) => newState === 'open' && panel.querySelector('input')?.focus());
/** The shortcut of the pages that have the search. GraphiQL has its own. */
const search = document.querySelector('#bar .search');
addEventListener('keydown', (event) => {
  if (search === null || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
  event.preventDefault();
  search.click();
});

onKeyChange(showKey);
showKey();
