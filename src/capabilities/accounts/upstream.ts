import type { AccessTokens } from '../../auth/access-tokens.ts';
import { onlyWith } from '../../kernel/ports.ts';
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
}): AccountsPort =>
  onlyWith<AccountsPort>({
    checkKey,
    ...(tokens && { createToken: (context, request) => createToken(tokens, context.caller, request) }),
  });
