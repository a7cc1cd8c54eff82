import { unsupported } from '../upstream/client.ts';
import type { AccountsPort } from './port.ts';

/** The contract has no endpoint that reads connected accounts. */
export const upstreamAccounts: AccountsPort = {
  list: unsupported('list connected accounts'),
  counts: unsupported('count connected accounts'),
  find: unsupported('read connected accounts'),
  watch: unsupported('watch connected accounts'),
};
