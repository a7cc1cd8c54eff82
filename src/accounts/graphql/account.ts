import { type AccountStatus, accountStatuses } from '../../auth/account.ts';
import { builder } from '../../graphql/builder.ts';
import { connect, connectionArgs, connectionComplexity, connectionType } from '../../graphql/connection.ts';
import { contractEnum } from '../../graphql/enums.ts';
import { globalId, Node, registerNode } from '../../graphql/node.ts';
import { listAccounts } from '../operations.ts';
import { type Account, accountListLimits } from '../shapes.ts';

export const AccountTypeEnum = contractEnum(
  'AccountType',
  'The kind of service that an account is connected to.',
  {
    SEARCHMAIL: 'Mail of the search company.',
    SEARCHMAIL_CALENDAR: 'Calendar of the search company.',
    CLOUDSYNC: 'Cloud synchronisation.',
    PNET: 'The professional network: jobs and posts.',
    MAIL: 'Any mail server, over IMAP and SMTP.',
    MOBILE: 'Mobile phone.',
    OFFICEMAIL: 'Mail of the office suite.',
    MICROBLOG: 'The micro-blogging network.',
    CHATAPP: 'The chat application.',
    WORKCHAT: 'The chat of the workplace.',
    MSGR: 'The messenger.',
    PHOTONET: 'The photo network: posts. An addition to the contract, which has no value for it.',
  },
  { read: true },
);

const AccountStatusEnum = contractEnum(
  'AccountStatus',
  'Whether a connected account can be used, and if not, why.',
  Object.fromEntries(
    Object.entries(accountStatuses).map(([status, { description }]) => [status, description]),
  ) as Record<AccountStatus, string>,
  { read: true },
);

export const AccountObject = builder.objectRef<Account>('Account').implement({
  description: 'An external account that is connected to the workspace: calls are made on its behalf.',
  interfaces: [Node],
  isTypeOf: (value) => 'status' in (value as object),
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: ({ account_id }) => globalId('Account', account_id) }),
    accountId: t.exposeID('account_id', { description: 'What arguments named `accountId` take.' }),
    name: t.exposeString('name', { nullable: true, description: 'Display name.' }),
    type: t.expose('type', { type: AccountTypeEnum, description: 'The kind of service it is an account of.' }),
    status: t.expose('status', { type: AccountStatusEnum, description: 'Whether calls can be made from it.' }),
  }),
});

const AccountConnection = connectionType('Account', AccountObject, 'connected accounts');

registerNode('Account', (accountId, { loaders }) => loaders.accounts.load(accountId));

builder.queryFields((t) => ({
  account: t.field({
    type: AccountObject,
    nullable: true,
    description: 'The connected account with this id; null where the key cannot see one. Scope: `accounts:read`.',
    args: { accountId: t.arg.id({ required: true, description: 'Id of the account.' }) },
    resolve: (_root, { accountId }, { loaders }) => loaders.accounts.load(accountId),
  }),
  accounts: t.field({
    type: AccountConnection,
    description: 'The connected accounts that the key may use, oldest first. Scope: `accounts:read`.',
    args: connectionArgs(accountListLimits, 'accounts'),
    complexity: connectionComplexity,
    resolve: (_root, page, context) =>
      connect(context, {
        operation: listAccounts,
        request: {},
        limits: accountListLimits,
        list: ['accounts', context.caller.keyId],
        ...page,
      }),
  }),
}));
