import { listOf, readsById } from '../../../graphql/cost/weights.ts';
import { builder, partType } from '../../../graphql/kit/builder.ts';
import { maxAge } from '../../../graphql/kit/cache-hint.ts';
import { globalId } from '../../../graphql/kit/global-ids.ts';
import { nullMeansError } from '../../../graphql/kit/semantic-nullability.ts';
import { type Caller, type CallerToken, type Scope, scopes } from '../../../kernel/caller.ts';
import { entriesOf } from '../../../kernel/lib/objects.ts';

export const ScopeEnum = builder.enumType('Scope', {
  description: 'A permission of an API key.',
  values: Object.fromEntries(
    entriesOf(scopes).map(([scope, description]) => [
      scope.toUpperCase().replace(':', '_'),
      { value: scope, description: `\`${scope}\`: ${description}` },
    ]),
  ) as Record<string, { value: Scope; description: string }>,
});

export const WorkspaceObject = partType<{ workspaceId: string; name: string }>('Workspace', {
  description: 'A container for accounts, jobs, webhooks and API keys. A key sees its own workspace only.',
  fields: (t) => ({
    id: t.id({
      description: 'Id for caches of clients. `node` does not find it.',
      resolve: ({ workspaceId }) => globalId('Workspace', workspaceId),
    }),
    workspaceId: t.exposeID('workspaceId', { description: 'Id of the workspace.' }),
    name: t.exposeString('name', { description: 'Name of the workspace.' }),
  }),
});

const ViewerTokenObject = partType<CallerToken>('ViewerToken', {
  description: 'The access token that stood for the key.',
  fields: (t) => ({
    tokenId: t.exposeID('id', { description: 'Id of the token.' }),
    origins: t.exposeStringList('origins', {
      nullable: true,
      description: 'Origins whose pages may use the token. Null for all, and for what is no page.',
      extensions: listOf(10),
    }),
  }),
});

export const ViewerObject = builder.objectRef<Caller>('Viewer').implement({
  description: 'The API key that made the request.',
  // Responses are cached per key, with everything that this type shows of it.
  extensions: maxAge(Number.POSITIVE_INFINITY),
  fields: (t) => ({
    id: t.id({
      description: 'Id for caches of clients: that of the key, or of the access token. `node` does not find it.',
      resolve: ({ keyId, token }) => globalId('Viewer', ...(token === undefined ? [keyId] : [keyId, token.id])),
    }),
    keyId: t.exposeID('keyId', {
      description: 'Id of the key, as the log has it.',
    }),
    name: t.string({
      needs: 'keys',
      nullable: true,
      description: 'Name of the key.',
      extensions: nullMeansError,
      resolve: ({ keyName }) => keyName,
    }),
    scopes: t.field({
      needs: 'keys',
      type: [ScopeEnum],
      nullable: true,
      description: 'The permissions of the key.',
      extensions: { ...listOf(8), ...nullMeansError },
      resolve: ({ scopes }) => [...scopes],
    }),
    accountIds: t.idList({
      needs: 'keys',
      nullable: true,
      description: 'Ids of the accounts that the key is limited to. Null if it may use every account of the workspace.',
      extensions: listOf(20),
      resolve: ({ accountIds }) => accountIds && [...accountIds],
    }),
    expiresAt: t.field({
      needs: 'keys',
      type: 'DateTime',
      nullable: true,
      description: 'When the key expires. Null if it does not expire.',
      resolve: ({ expiresAt }) => expiresAt?.toISOString(),
    }),
    token: t.field({
      needs: 'keys',
      type: ViewerTokenObject,
      nullable: true,
      description:
        'The access token that was sent in place of the key: `scopes`, `accountIds` and `expiresAt` are those of the token. Null if the key itself was sent.',
      resolve: ({ token }) => token,
    }),
    workspace: t.field({
      needs: 'keys',
      type: WorkspaceObject,
      nullable: true,
      description: 'The workspace that the key belongs to.',
      extensions: nullMeansError,
      resolve: ({ workspaceId, workspaceName: name }) => (name === null ? null : { workspaceId, name }),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerObject,
    nullable: true,
    description: 'The API key that made the request. It is valid, or this is an error.',
    extensions: { ...readsById, ...nullMeansError },
    resolve: async (_root, _args, context) => {
      await context.ports.accounts.checkKey(context);
      return context.caller;
    },
  }),
);
