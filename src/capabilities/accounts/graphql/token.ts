import { listOf } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { mutationField, mutationResult } from '../../../graphql/kit/mutation.ts';
import { createAccessToken } from '../operations.ts';
import type { AccessTokenCreated } from '../shapes.ts';
import { ScopeEnum } from './viewer.ts';

const CreateAccessTokenInput = builder.inputType('CreateAccessTokenInput', {
  description: 'The access token to create.',
  fields: (t) => ({
    scopes: t.field({
      type: [ScopeEnum],
      required: true,
      description: 'What the token may do: scopes that the key has. `TOKENS_WRITE` is for keys alone.',
    }),
    accountIds: t.idList({
      description: 'Ids of the accounts that the token is limited to, up to 20. Defaults to those of the key.',
    }),
    expiresIn: t.int({
      description:
        'Seconds until the token expires, 60 to 3,600. Defaults to 900. It expires with its key at the latest.',
    }),
    origins: t.stringList({
      description:
        'Origins whose pages may use the token, such as `https://app.example`, up to 10. Defaults to all, and to what is no page.',
    }),
  }),
});

const AccessTokenCreatedObject = builder.objectRef<AccessTokenCreated>('AccessTokenCreated').implement({
  description: 'The access token is created.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description:
        'The token, shown once. Send it as `Authorization: Bearer`, or in `connection_init`; from `EventSource` as `access_token` in the URL.',
    }),
    tokenId: t.exposeID('token_id', { description: 'Id of the token, which the log has and `viewer` shows.' }),
    scopes: t.expose('scopes', {
      type: [ScopeEnum],
      description: 'What the token may do.',
      extensions: listOf(8),
    }),
    accountIds: t.exposeIDList('account_ids', {
      nullable: true,
      description: 'Ids of the accounts that the token is limited to. Null for every account of the workspace.',
      extensions: listOf(20),
    }),
    origins: t.exposeStringList('origins', {
      nullable: true,
      description: 'Origins whose pages may use the token. Null for all, and for what is no page.',
      extensions: listOf(10),
    }),
    expiresAt: t.expose('expires_at', { type: 'DateTime', description: 'When the token expires.' }),
  }),
});

const createAccessTokenResult = mutationResult<AccessTokenCreated>(
  'CreateAccessTokenResult',
  'The created token, or the error.',
  [AccessTokenCreatedObject],
);

mutationField('createAccessToken', {
  description:
    'Creates a short-lived access token for a page or an app. It may do no more than the key, and ends with the key.',
  input: CreateAccessTokenInput,
  inputDescription: 'The token to create.',
  result: createAccessTokenResult,
  operation: createAccessToken,
});
