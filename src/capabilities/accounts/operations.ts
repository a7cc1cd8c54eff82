import { z } from 'zod';
import { operation } from '../../kernel/operation.ts';
import { idList } from '../../kernel/validation.ts';
import { accessTokenShape, accountFilterShape, accountListShape, accountWatchShape } from './shapes.ts';

export const createAccessToken = operation('tokens:write', accessTokenShape, ({ accounts }) => accounts.createToken);
export const listAccounts = operation('accounts:read', accountListShape, ({ accounts }) => accounts.list);
export const countAccounts = operation('accounts:read', z.array(accountFilterShape), ({ accounts }) => accounts.counts);
export const findAccounts = operation('accounts:read', idList(), ({ accounts }) => accounts.find);
export const watchAccounts = operation('accounts:read', accountWatchShape, ({ accounts }) => accounts.watch);
