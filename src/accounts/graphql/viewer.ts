import { type Caller, type Scope, scopes } from '../../auth/caller.ts';
import { builder } from '../../graphql/builder.ts';
import { inheritMaxAge, maxAge } from '../../graphql/cache-hint.ts';
import { listOf } from '../../graphql/cost/weights.ts';
import { entriesOf } from '../../keys-of.ts';

const ScopeEnum = builder.enumType('Scope', {
  description: 'A permission of an API key.',
  values: Object.fromEntries(
    entriesOf(scopes).map(([scope, description]) => [
      scope.toUpperCase().replace(':', '_'),
      { value: scope, description: `\`${scope}\`: ${description}` },
    ]),
  ) as Record<string, { value: Scope; description: string }>,
});

const WorkspaceObject = builder.objectRef<Caller>('Workspace').implement({
  description: 'A container for accounts, jobs, webhooks and API keys. A key sees its own workspace only.',
  extensions: inheritMaxAge,
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'Id of the workspace.' }),
    name: t.exposeString('workspaceName', { description: 'Name of the workspace.' }),
  }),
});

export const ViewerObject = builder.objectRef<Caller>('Viewer').implement({
  description: 'The API key that made the request.',
  // Responses are kept for one key, with everything that this type shows of it.
  extensions: maxAge(Number.POSITIVE_INFINITY),
  fields: (t) => ({
    keyId: t.exposeID('keyId', { description: 'Id of the key, as `npm run key -- list` shows it.' }),
    name: t.exposeString('keyName', { description: 'Name of the key.' }),
    scopes: t.field({
      type: [ScopeEnum],
      description: 'The permissions of the key.',
      extensions: listOf(8),
      resolve: ({ scopes }) => [...scopes],
    }),
    accountIds: t.idList({
      nullable: true,
      description: 'Ids of the accounts that the key is limited to. Null if it may use every account of the workspace.',
      extensions: listOf(20),
      resolve: ({ accountIds }) => accountIds && [...accountIds],
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the key expires. Null if it does not expire.',
      resolve: ({ expiresAt }) => expiresAt?.toISOString(),
    }),
    workspace: t.field({
      type: WorkspaceObject,
      description: 'The workspace that the key belongs to.',
      resolve: (caller) => caller,
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerObject,
    description: 'The API key that made the request. No scope is required.',
    resolve: (_root, _args, { caller }) => caller,
  }),
);
