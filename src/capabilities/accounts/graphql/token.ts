import { builder } from '../../../graphql/kit/builder.ts';
import { mutationField, mutationResult } from '../../../graphql/kit/mutation.ts';
import { createAccessToken } from '../operations.ts';
import type { AccessTokenCreated } from '../shapes.ts';
import { ScopeEnum } from './viewer.ts';

const CreateAccessTokenInput = builder.inputType('CreateAccessTokenInput', {
  description: 'An access token to create.',
  fields: (t) => ({
    scopes: t.field({
      type: [ScopeEnum],
      required: true,
      description: 'Scopes of the key, except `TOKENS_WRITE`.',
    }),
    accountIds: t.idList({
      description: 'Up to 20 accounts that it is limited to. Defaults to those of the key.',
    }),
    expiresIn: t.int({
      description: 'Lifetime in seconds, 60 to 3600. Defaults to 900.',
    }),
    origins: t.stringList({
      description: 'Up to 10 origins whose pages may use it. Defaults to any client.',
    }),
  }),
});

const AccessTokenCreatedObject = builder.objectRef<AccessTokenCreated>('AccessTokenCreated').implement({
  description: 'An access token was created.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description: 'The token, shown once. Send it as `Authorization: Bearer`.',
    }),
    tokenId: t.exposeID('token_id', { description: 'Id that `viewer` and the log show.' }),
    expiresAt: t.expose('expires_at', { type: 'DateTime', description: 'When it expires.' }),
  }),
});

const createAccessTokenResult = mutationResult<AccessTokenCreated>(
  'CreateAccessTokenResult',
  'The token, or an error.',
  [AccessTokenCreatedObject],
);

mutationField('createAccessToken', {
  description: 'Creates a short-lived token for a page or an app.',
  input: CreateAccessTokenInput,
  inputDescription: 'The token to create.',
  result: createAccessTokenResult,
  operation: createAccessToken,
});
