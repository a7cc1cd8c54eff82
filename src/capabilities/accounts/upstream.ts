import type { AccessTokens } from '../../auth/access-tokens.ts';
import { unsupported } from '../../upstream/client.ts';
import type { AccountsPort } from './port.ts';
import { createToken } from './tokens.ts';

/**
 * The contract has no endpoint that reads accounts.
 * @param options.checkKey asks the service, or does nothing if the gateway has checked the key itself
 * @param options.tokens null where the service checks keys: the gateway cannot tell what a key may do, or whether it was revoked
 */
export const upstreamAccounts = ({
  checkKey,
  tokens,
}: {
  readonly checkKey: AccountsPort['checkKey'];
  readonly tokens: AccessTokens | null;
}): AccountsPort => ({
  checkKey,
  createToken:
    tokens === null
      ? unsupported('create access tokens')
      : (context, request) => createToken(tokens, context.caller, request),
  list: unsupported('list connected accounts'),
  counts: unsupported('count connected accounts'),
  find: unsupported('read connected accounts'),
  watch: unsupported('watch connected accounts'),
});
