import { listOf, readsById } from '../../../graphql/cost/weights.ts';
import { builder, partType } from '../../../graphql/kit/builder.ts';
import { maxAge } from '../../../graphql/kit/cache-hint.ts';
import { globalId } from '../../../graphql/kit/global-ids.ts';
import { nullMeansError } from '../../../graphql/kit/semantic-nullability.ts';
import { type Caller, type CallerToken, type Scope, scopes } from '../../../kernel/caller.ts';
import { notOffered } from '../../../kernel/errors.ts';
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

const knownOfKey =
  <Value>(read: (caller: Caller) => Value) =>
  (caller: Caller): Value => {
    if (caller.forwardedKey !== undefined) throw notOffered('read what an API key is and may do');
    return read(caller);
  };

const atItsPath = 'In proxy mode with forwarded keys: null, with `errors/feature_not_subscribed`.';

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
      description:
        'Id of the key, as `npm run key -- list` shows it. In proxy mode with forwarded keys, a hash of the key.',
    }),
    name: t.string({
      nullable: true,
      description: `Name of the key. ${atItsPath}`,
      extensions: nullMeansError,
      resolve: knownOfKey(({ keyName }) => keyName),
    }),
    scopes: t.field({
      type: [ScopeEnum],
      nullable: true,
      description: `The permissions of the key. ${atItsPath}`,
      extensions: { ...listOf(8), ...nullMeansError },
      resolve: knownOfKey(({ scopes }) => [...scopes]),
    }),
    accountIds: t.idList({
      nullable: true,
      description: `Ids of the accounts that the key is limited to. Null if it may use every account of the workspace. ${atItsPath}`,
      extensions: listOf(20),
      resolve: knownOfKey(({ accountIds }) => accountIds && [...accountIds]),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: `When the key expires. Null if it does not expire. ${atItsPath}`,
      resolve: knownOfKey(({ expiresAt }) => expiresAt?.toISOString()),
    }),
    token: t.field({
      type: ViewerTokenObject,
      nullable: true,
      description:
        'The access token that was sent in place of the key: `scopes`, `accountIds` and `expiresAt` are those of the token. Null if the key itself was sent.',
      resolve: ({ token }) => token,
    }),
    workspace: t.field({
      type: WorkspaceObject,
      nullable: true,
      description: `The workspace that the key belongs to. ${atItsPath}`,
      extensions: nullMeansError,
      resolve: knownOfKey(({ workspaceId, workspaceName: name }) => (name === null ? null : { workspaceId, name })),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerObject,
    nullable: true,
    description:
      'The API key that made the request, which is valid: in proxy mode with forwarded keys, the service is asked. No scope is required.',
    extensions: { ...readsById, ...nullMeansError },
    resolve: async (_root, _args, context) => {
      await context.ports.accounts.checkKey(context);
      return context.caller;
    },
  }),
);
