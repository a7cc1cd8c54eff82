import { z } from 'zod';
import { operationThatNeeds } from '../../kernel/operation.ts';
import { idList } from '../../kernel/validation.ts';
import { accessTokenShape, accountFilterShape, accountListShape, accountWatchShape } from './shapes.ts';

/** Accounts are known from events of them. */
const ofWebhooks = operationThatNeeds('ownWebhooks');

export const createAccessToken = operationThatNeeds('keys')(
  'tokens:write',
  accessTokenShape,
  ({ accounts }) => accounts.createToken,
);
export const listAccounts = ofWebhooks('accounts:read', accountListShape, ({ accounts }) => accounts.list);
export const countAccounts = ofWebhooks(
  'accounts:read',
  z.array(accountFilterShape),
  ({ accounts }) => accounts.counts,
);
export const findAccounts = ofWebhooks('accounts:read', idList(), ({ accounts }) => accounts.find);
export const watchAccounts = ofWebhooks('accounts:read', accountWatchShape, ({ accounts }) => accounts.watch);
