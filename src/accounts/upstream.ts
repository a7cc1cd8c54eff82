import { notServed } from '../upstream/client.ts';
import type { AccountsPort } from './port.ts';

/** The contract has no call that reads connected accounts. */
export const upstreamAccounts: AccountsPort = {
  list: notServed('list connected accounts'),
  find: notServed('read connected accounts'),
};
