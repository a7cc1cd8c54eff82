import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs } from '../../../graphql/kit/connection.ts';
import { connectCounted, countedConnectionType } from '../../../graphql/kit/counted-connection.ts';
import { listAccounts } from '../operations.ts';
import { type Account, type AccountFilter, accountListLimits, accountListScope } from '../shapes.ts';
import { AccountObject, accountMaxAge, KnownAccountStatusEnum, KnownAccountTypeEnum } from './account.ts';
import { ViewerObject } from './viewer.ts';

const AccountConnection = countedConnectionType<Account>('Account', AccountObject, 'connected accounts', {
  hint: accountMaxAge,
});

const accountListArgs = builder.args((t) => ({
  type: t.field({ type: [KnownAccountTypeEnum], description: 'Types of the accounts to list. Defaults to all types.' }),
  status: t.field({
    type: [KnownAccountStatusEnum],
    description: 'Statuses of the accounts to list. Defaults to all statuses.',
  }),
  ...connectionArgs(accountListLimits, 'accounts'),
}));

interface AccountListArguments {
  readonly type?: AccountFilter['type'] | null;
  readonly status?: AccountFilter['status'] | null;
  readonly first: number;
  readonly after?: string | null | undefined;
}

function connectAccounts(context: GraphQLContext, { type, status, ...page }: AccountListArguments) {
  const filter: AccountFilter = { type: type ?? undefined, status: status ?? undefined };
  return connectCounted(
    context,
    {
      operation: listAccounts,
      request: filter,
      limits: accountListLimits,
      list: ['accounts', context.caller.keyId, ...accountListScope(filter)],
      ...page,
    },
    {
      load: (request) => listAccounts.method(context.ports)(context, request),
      count: () => context.loaders.accountCounts.load(filter),
    },
  );
}

builder.queryField('accounts', (t) =>
  t.field({
    type: AccountConnection,
    nullable: true,
    description: 'The connected accounts that the key may use, oldest first. Scope: `accounts:read`.',
    args: accountListArgs,
    resolve: (_root, args, context) => connectAccounts(context, args),
  }),
);

builder.objectField(ViewerObject, 'accounts', (t) =>
  t.field({
    type: AccountConnection,
    nullable: true,
    description: 'The connected accounts that the key may use, oldest first. Scope: `accounts:read`.',
    args: accountListArgs,
    resolve: (_viewer, args, context) => connectAccounts(context, args),
  }),
);
