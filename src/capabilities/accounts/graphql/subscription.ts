import { readsById } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { readAnew } from '../../../graphql/kit/subscription.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { watchAccounts } from '../operations.ts';
import { AccountObject } from './account.ts';

builder.subscriptionField('accountUpdated', (t) =>
  t.field({
    type: AccountObject,
    description:
      'Emits each of these accounts at once as it is, and again whenever its status, name or type changes. Embedded mode only. Scope: `accounts:read`.',
    args: { accountIds: t.arg.idList({ required: true, description: `Ids of 1 to ${maxWatched} accounts.` }) },
    extensions: readsById,
    subscribe: (_root, { accountIds }, context) =>
      run(watchAccounts, context.ports, context, { account_ids: accountIds }),
    resolve: readAnew,
  }),
);
