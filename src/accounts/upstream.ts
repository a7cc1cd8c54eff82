import { unsupported } from '../upstream/client.ts';
import type { AccountsPort } from './port.ts';

/** The contract has no endpoint that reads connected accounts. */
export const upstreamAccounts: AccountsPort = {
  list: unsupported('list connected accounts'),
  find: unsupported('read connected accounts'),
};
