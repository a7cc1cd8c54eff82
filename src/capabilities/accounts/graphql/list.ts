import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs } from '../../../graphql/kit/connection.ts';
import { countedConnectionType, countedList, countedListSource } from '../../../graphql/kit/counted-connection.ts';
import { readsFrom } from '../../../graphql/kit/source.ts';
import { listAccounts } from '../operations.ts';
import { type Account, accountListLimits, accountListScope } from '../shapes.ts';
import { AccountObject, AccountStatusEnum, AccountTypeEnum, accountMaxAge } from './account.ts';

const AccountConnection = countedConnectionType<Account>('Account', AccountObject, 'connected accounts', {
  hint: accountMaxAge,
});

const accountListArgs = builder.args((t) => ({
  types: t.field({ type: [AccountTypeEnum], description: 'Types to list.' }),
  statuses: t.field({
    type: [AccountStatusEnum],
    description: 'Statuses to list.',
  }),
  ...connectionArgs(accountListLimits),
}));

const list = {
  operation: listAccounts,
  limits: accountListLimits,
  name: 'accounts',
  scope: accountListScope,
};

const connectAccounts = countedList({
  ...list,
  count: (filter, { loaders }) => loaders.accountCounts.load(filter),
});

builder.queryField('accounts', (t) =>
  t.field({
    type: AccountConnection,
    nullable: true,
    description: 'Accounts that the key may use, oldest first.',
    args: accountListArgs,
    extensions: readsFrom(countedListSource(list, (ports) => ports.accounts.pages)),
    resolve: (_root, args, context) => connectAccounts(context, args),
  }),
);
