import { operation } from '../operation.ts';
import { idList } from '../validation.ts';
import { accountListShape } from './shapes.ts';

export const listAccounts = operation('accounts:read', accountListShape, ({ accounts }) => accounts.list);
export const findAccounts = operation('accounts:read', idList(), ({ accounts }) => accounts.find);
