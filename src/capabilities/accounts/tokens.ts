import type { AccessTokens } from '../../auth/access-tokens.ts';
import { type Caller, requireAccount, requireScope } from '../../kernel/caller.ts';
import type { AccessTokenCreated, AccessTokenRequest } from './shapes.ts';

/**
 * For what the caller may do, or a part of it.
 * @throws ServiceError as {@link AccessTokens.issue}; `insufficient_privileges` or `account_mismatch` beyond the caller
 */
export async function createToken(
  tokens: AccessTokens,
  caller: Caller,
  request: AccessTokenRequest,
): Promise<AccessTokenCreated> {
  const { scopes, expires_in: expiresIn } = request;
  const accountIds = request.account_ids ?? null;
  const origins = request.origins ?? null;
  for (const scope of scopes) requireScope(caller, scope);
  for (const accountId of accountIds ?? []) requireAccount(caller, accountId);
  const issued = await tokens.issue(caller, { scopes, accountIds, expiresIn, origins });
  return {
    object: 'AccessTokenCreated',
    token: issued.token,
    token_id: issued.id,
    expires_at: issued.expiresAt.toISOString(),
  };
}
