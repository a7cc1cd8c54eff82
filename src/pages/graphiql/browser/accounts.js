/** Fills the variables of the operation that is open, and of the examples, with an account that the user chooses. */
import { accounts as accountsQuery } from './bar-accounts.js';
import { presentOperation, showVariables } from './editors.js';
import { h } from './elements.js';
import { ask } from './gateway.js';
import { readKey } from './stored-key.js';

/** @typedef {{ id: string, accountId: string, name: string, type: string }} Account */

const select = document.getElementById('account');
/** @type {readonly Account[]} */
let accounts = [];

/** Fills the select with the accounts of the key, if it has several. A gateway that knows none has none to choose. */
export async function offerAccounts() {
  if (readKey() === '') return;
  const { nodes } = await ask(accountsQuery).then(
    ({ data }) => data.accounts,
    () => ({ nodes: [] }),
  );
  accounts = nodes;
  select.append(...accounts.map(({ accountId, name }) => h('option', { value: accountId }, name || accountId)));
  select.hidden = accounts.length < 2;
  select.addEventListener('change', () => showVariables(withAccount(presentOperation().variables)));
}

/** Variables with the chosen account: as `accountId`, alone as `accountIds`, and where another account of its network stands. */
export function withAccount(text) {
  const chosen = accounts.find(({ accountId }) => accountId === select.value);
  if (chosen === undefined) return text;
  const others = accounts.filter(({ type }) => type === chosen.type);
  const fill = (key, value) => {
    if (key === 'accountId' && typeof value === 'string') return chosen.accountId;
    if (key === 'accountIds' && Array.isArray(value)) return [chosen.accountId];
    if (others.some(({ accountId }) => accountId === value)) return chosen.accountId;
    return others.some(({ id }) => id === value) ? chosen.id : value;
  };
  try {
    return JSON.stringify(JSON.parse(text, fill), null, 2);
  } catch {
    // There are none, or they are being written.
    return text;
  }
}
