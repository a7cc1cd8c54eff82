import { builder } from '../graphql/builder.ts';
import { connect, connectionArgs, connectionComplexity, connectionType } from '../graphql/connection.ts';
import type { Context } from '../graphql/context.ts';
import { vocabulary } from '../graphql/enums.ts';
import { findable, globalId, Node } from '../graphql/node.ts';
import { requireScope } from '../operation.ts';
import { accountListLimits, listAccounts } from './operations.ts';
import { type Account, type AccountStatus, accountStatuses, type Caller, type Scope, scopes } from './shapes.ts';

const ScopeEnum = builder.enumType('Scope', {
  description: 'Something that an API key may be allowed to do.',
  values: Object.fromEntries(
    (Object.entries(scopes) as [Scope, string][]).map(([scope, description]) => [
      scope.toUpperCase().replace(':', '_'),
      { value: scope, description: `\`${scope}\`: ${description}` },
    ]),
  ) as Record<string, { value: Scope; description: string }>,
});

export const AccountTypeEnum = vocabulary(
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

const AccountStatusEnum = vocabulary(
  'AccountStatus',
  'Whether a connected account can be used, and if not, why.',
  Object.fromEntries(
    Object.entries(accountStatuses).map(([status, { description }]) => [status, description]),
  ) as Record<AccountStatus, string>,
  { read: true },
);

export const AccountType = builder.objectRef<Account>('Account').implement({
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

const AccountConnection = connectionType('Account', AccountType, 'connected accounts');

const Workspace = builder.objectRef<Caller>('Workspace').implement({
  description: 'What belongs together: accounts, jobs and webhooks. Keys see their own workspace only.',
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'Id of the workspace.' }),
    name: t.exposeString('workspaceName', { description: 'Name of the workspace.' }),
  }),
});

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'The API key that this request was made with.',
  fields: (t) => ({
    keyId: t.exposeID('keyId', { description: 'Id of the key, as the key command lists it.' }),
    name: t.exposeString('keyName', { description: 'Name of the key.' }),
    scopes: t.field({ type: [ScopeEnum], description: 'What the key may do.', resolve: ({ scopes }) => [...scopes] }),
    accountIds: t.idList({
      nullable: true,
      description: 'The accounts that the key is limited to; null where it may use every account of the workspace.',
      resolve: ({ accountIds }) => accountIds && [...accountIds],
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the key expires; null where it does not.',
      resolve: ({ expiresAt }) => expiresAt?.toISOString(),
    }),
    workspace: t.field({ type: Workspace, description: 'The workspace of the key.', resolve: (caller) => caller }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({
    type: Viewer,
    description: 'Who you are: the API key of this request. It needs no scope.',
    resolve: (_root, _args, { caller }) => caller,
  }),
  account: t.field({
    type: AccountType,
    nullable: true,
    description: 'The connected account with this id; null where the key cannot see one. Scope: `accounts:read`.',
    args: { accountId: t.arg.id({ required: true, description: 'Id of the account.' }) },
    resolve: (_root, { accountId }, context) => findAccount(accountId, context),
  }),
  accounts: t.field({
    type: AccountConnection,
    description: 'The connected accounts that the key may use, oldest first. Scope: `accounts:read`.',
    args: connectionArgs(accountListLimits, 'accounts'),
    complexity: connectionComplexity,
    resolve: (_root, { first, after }, context) =>
      connect(context, {
        operation: listAccounts,
        limits: accountListLimits,
        first,
        after,
        list: ['accounts', context.caller.keyId],
        load: (cursor, limit) => listAccounts(context, { cursor, limit }),
      }),
  }),
}));

function findAccount(accountId: string, context: Context): Promise<Account | null> {
  requireScope(context.caller, listAccounts.scope);
  return context.loaders.accounts.load(accountId);
}

findable('Account', async (accountId, context) => findAccount(accountId, context));
