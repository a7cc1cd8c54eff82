import { listOf, readsById } from '../../../graphql/cost/weights.ts';
import { builder, partType } from '../../../graphql/kit/builder.ts';
import { maxAge } from '../../../graphql/kit/cache-hint.ts';
import { globalId } from '../../../graphql/kit/global-ids.ts';
import { nullMeansError } from '../../../graphql/kit/semantic-nullability.ts';
import { type Caller, type Scope, scopes } from '../../../kernel/caller.ts';
import { entriesOf } from '../../../kernel/lib/objects.ts';

export const ScopeEnum = builder.enumType('Scope', {
  description: 'Permission of an API key.',
  values: Object.fromEntries(
    entriesOf(scopes).map(([scope, description]) => [
      scope.toUpperCase().replace(':', '_'),
      { value: scope, description: `\`${scope}\`: ${description}` },
    ]),
  ) as Record<string, { value: Scope; description: string }>,
});

export const WorkspaceObject = partType<{ workspaceId: string; name: string }>('Workspace', {
  description: 'A container of accounts, jobs, webhooks and API keys.',
  fields: (t) => ({
    id: t.id({
      description: 'Id for caches. `node` does not find it.',
      resolve: ({ workspaceId }) => globalId('Workspace', workspaceId),
    }),
    workspaceId: t.exposeID('workspaceId', { description: 'Id of the workspace.' }),
    name: t.exposeString('name', { description: 'Name of the workspace.' }),
  }),
});

const ViewerObject = builder.objectRef<Caller>('Viewer').implement({
  description: 'The API key of the request, with the limits of its access token.',
  // Responses are cached per key, with everything that this type shows of it.
  extensions: maxAge(Number.POSITIVE_INFINITY),
  fields: (t) => ({
    id: t.id({
      description: 'Id for caches, of the key or the token. `node` does not find it.',
      resolve: ({ keyId, token }) => globalId('Viewer', ...(token === undefined ? [keyId] : [keyId, token.id])),
    }),
    keyId: t.exposeID('keyId', {
      description: 'Id that the log shows.',
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
      description: 'Permissions.',
      extensions: { ...listOf(8), ...nullMeansError },
      resolve: ({ scopes }) => [...scopes],
    }),
    accountIds: t.idList({
      needs: 'keys',
      nullable: true,
      description: 'Accounts that it is limited to; null for all of the workspace.',
      extensions: listOf(20),
      resolve: ({ accountIds }) => accountIds && [...accountIds],
    }),
    expiresAt: t.field({
      needs: 'keys',
      type: 'DateTime',
      nullable: true,
      description: 'When it expires; null for never.',
      resolve: ({ expiresAt }) => expiresAt?.toISOString(),
    }),
    tokenId: t.id({
      needs: 'keys',
      nullable: true,
      description: 'Id of the access token sent in its place; null if there was none.',
      resolve: ({ token }) => token?.id,
    }),
    origins: t.stringList({
      needs: 'keys',
      nullable: true,
      description: 'Origins whose pages may use the access token; null for any client.',
      extensions: listOf(10),
      resolve: ({ token }) => token?.origins && [...token.origins],
    }),
    workspace: t.field({
      needs: 'keys',
      type: WorkspaceObject,
      nullable: true,
      description: 'Workspace of the key.',
      extensions: nullMeansError,
      resolve: ({ workspaceId, workspaceName: name }) => (name === null ? null : { workspaceId, name }),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerObject,
    nullable: true,
    description: 'The API key of the request. An invalid one is an error.',
    extensions: { ...readsById, ...nullMeansError },
    resolve: async (_root, _args, context) => {
      await context.ports.accounts.checkKey(context);
      return context.caller;
    },
  }),
);
