import { unsupported } from '../../upstream/client.ts';
import type { AccountsPort } from './port.ts';

/**
 * The contract has no endpoint that reads connected accounts.
 * @param checkKey asks the service, or nobody if the gateway has checked the key itself
 */
export const upstreamAccounts = (checkKey: AccountsPort['checkKey']): AccountsPort => ({
  checkKey,
  list: unsupported('list connected accounts'),
  counts: unsupported('count connected accounts'),
  find: unsupported('read connected accounts'),
  watch: unsupported('watch connected accounts'),
});
