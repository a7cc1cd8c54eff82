/** Accounts, as people choose one. */

const networks = { PNET: 'pnet', PHOTONET: 'photonet' };

const labelOf = ({ accountId, name, type, status }) =>
  `${name || accountId}${type ? ` (${networks[type]})` : ''}${status === 'OK' ? '' : ` – ${status.toLowerCase()}`}`;

/**
 * The field of a form.
 * @param {{ accountId: string, name: string | null, type: string | null, status: string }[]} accounts
 */
export const accountField = (accounts) => ({
  path: 'accountId',
  label: 'Account',
  type: 'choice',
  options: Object.fromEntries(accounts.map((account) => [account.accountId, labelOf(account)])),
});
