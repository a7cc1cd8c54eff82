import { type Caller, type Scope, scopes } from '../../auth/caller.ts';
import { builder } from '../../graphql/builder.ts';

const ScopeEnum = builder.enumType('Scope', {
  description: 'Something that an API key may be allowed to do.',
  values: Object.fromEntries(
    (Object.entries(scopes) as [Scope, string][]).map(([scope, description]) => [
      scope.toUpperCase().replace(':', '_'),
      { value: scope, description: `\`${scope}\`: ${description}` },
    ]),
  ) as Record<string, { value: Scope; description: string }>,
});

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

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Who you are: the API key of this request. It needs no scope.',
    resolve: (_root, _args, { caller }) => caller,
  }),
);
