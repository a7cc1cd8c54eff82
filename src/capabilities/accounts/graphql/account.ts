import { type AccountStatus, type AccountType, accountStatuses } from '../../../auth/account.ts';
import { readsById } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { maxAge } from '../../../graphql/kit/cache-hint.ts';
import { contractEnum } from '../../../graphql/kit/enums.ts';
import { foundById, Node, registerNode } from '../../../graphql/kit/node.ts';
import type { ItemSource } from '../../../graphql/kit/source.ts';
import { globalIdAt } from '../../../graphql/kit/wire.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { findAccounts, watchAccounts } from '../operations.ts';
import type { Account } from '../shapes.ts';

export const AccountTypeEnum = contractEnum(
  'AccountType',
  'Service of an account.',
  {
    SEARCHMAIL: 'Email of the search company.',
    SEARCHMAIL_CALENDAR: 'Calendar of the search company.',
    CLOUDSYNC: 'Cloud synchronisation.',
    PNET: 'The professional network, with jobs and posts.',
    MAIL: 'Any email server, over IMAP and SMTP.',
    MOBILE: 'Mobile phone.',
    OFFICEMAIL: 'Email of the office suite.',
    MICROBLOG: 'The microblogging network.',
    CHATAPP: 'The chat application.',
    WORKCHAT: 'The workplace chat.',
    MSGR: 'The messenger.',
    PHOTONET: 'The photo network, with posts.',
  } satisfies Record<AccountType, string>,
  { read: true },
);

export const AccountStatusEnum = contractEnum(
  'AccountStatus',
  'Whether an account can be used and, if not, why.',
  Object.fromEntries(
    Object.entries(accountStatuses).map(([status, { description }]) => [status, description]),
  ) as Record<AccountStatus, string>,
  { read: true },
);

/** Seconds: accounts change at their networks, which notify nobody. */
export const accountMaxAge = maxAge(5);

/** By the argument `accountId`. */
export const accountItem: ItemSource<{ readonly accountId: string }> = {
  operation: findAccounts,
  id: ({ accountId }) => accountId,
  pages: ({ accounts }) => accounts.found,
};

export const AccountObject = builder.objectRef<Account>('Account').implement({
  description: 'An external account connected to the workspace.',
  interfaces: [Node],
  extensions: accountMaxAge,
  isTypeOf: (value) => 'status' in (value as object),
  fields: (t) => ({
    id: t.id(globalIdAt('Account', 'account_id')),
    accountId: t.exposeID('account_id', { description: 'Id for arguments named `accountId`.' }),
    name: t.exposeString('name', { nullable: true, description: 'Display name.' }),
    type: t.expose('type', { type: AccountTypeEnum, description: 'Service that it belongs to.' }),
    status: t.expose('status', { type: AccountStatusEnum, description: 'Whether it can be used.' }),
  }),
});

registerNode('Account', ([accountId], { loaders }) => loaders.accounts.load(accountId));

builder.queryField('account', (t) =>
  t.field({
    type: AccountObject,
    ...foundById('An account; null if the key cannot see it.', accountItem),
    args: { accountId: t.arg.id({ required: true, description: 'Id of the account.' }) },
    resolve: (_root, { accountId }, { loaders }) => loaders.accounts.load(accountId),
  }),
);

builder.subscriptionField('accountUpdated', (t) =>
  t.field({
    type: AccountObject,
    description: 'Emits each account at once, and again whenever it changes.',
    args: { accountIds: t.arg.idList({ required: true, description: `1 to ${maxWatched} accounts.` }) },
    runs: watchAccounts,
    extensions: readsById,
    subscribe: (_root, { accountIds }, context) =>
      run(watchAccounts, context.ports, context, { account_ids: accountIds }),
    resolve: (account) => account,
  }),
);
