/**
 * Access tokens, for pages and apps in place of an API key. Signed (JWT, HS256) and not stored: each use looks up the
 * key, so a token ends with its key and never may more.
 */
import { z } from 'zod';
import { type Caller, expiredToken, permits, type Scope, scopeNames } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type RandomBytes } from '../kernel/ids.ts';
import type { Keys } from '../kernel/secrets/secret.ts';

/** Seconds. */
export const tokenLifetime = { min: 60, default: 900, max: 3_600 } as const;

/** Farther ahead of the clock, in milliseconds, no token ends: it was issued before the clock jumped back, and counts as expired. */
const maxAheadMs = 2 * tokenLifetime.max * 1_000;

/** Characters: it has to fit a header. */
const maxTokenLength = 2_000;

const algorithm = 'HS256';
/** RFC 9068, section 2.1. */
const type = 'at+jwt';
const issuer = 'postern';

export interface TokenGrant {
  readonly scopes: readonly Scope[];
  /** Null for the key's. */
  readonly accountIds: readonly string[] | null;
  readonly expiresIn: number;
  /** Null for all, and for clients that are no page. */
  readonly origins: readonly string[] | null;
}

const claimsShape = z.object({
  jti: z.string(),
  sub: z.string(),
  exp: z.number(),
  scopes: z.array(z.enum(scopeNames)),
  accounts: z.array(z.string()).nullable(),
  origins: z.array(z.string()).nullable(),
});
type Claims = z.infer<typeof claimsShape>;

/** Whether a text has a token's form. API keys have no dot. */
export const isAccessToken = (text: string): boolean => /^[\w-]+\.[\w-]*\.[\w-]*$/.test(text);

export type AccessTokens = ReturnType<typeof accessTokens>;

export function accessTokens({
  keys,
  findKey,
  now,
  randomBytes,
}: {
  readonly keys: Keys;
  readonly findKey: (keyId: string) => Promise<Caller>;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
}) {
  async function claimsOf(token: string): Promise<Claims> {
    const { errors, jwtVerify } = await import('jose');
    for (const key of [keys.current, ...keys.previous]) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [algorithm],
          typ: type,
          issuer,
          requiredClaims: ['exp', 'jti', 'sub'],
          currentDate: now(),
        });
        const claims = claimsShape.parse(payload);
        // Issued by a clock that was ahead, it would last as long as that was.
        if (claims.exp * 1_000 > now().getTime() + maxAheadMs) throw expiredToken();
        return claims;
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw expiredToken();
        // Another key may have signed it.
        if (!(error instanceof errors.JOSEError || error instanceof z.ZodError)) throw error;
      }
    }
    throw new ServiceError('invalid_credentials', { detail: 'The access token is not valid.', family: 'key' });
  }

  return {
    /** @throws ServiceError `insufficient_privileges` or `account_mismatch` beyond the key, `limit_too_high` */
    async issue(caller: Caller, { scopes, accountIds, expiresIn, origins }: TokenGrant) {
      const { SignJWT } = await import('jose');
      const id = newId(randomBytes);
      const issuedAt = now();
      const end = Math.min(issuedAt.getTime() + expiresIn * 1_000, caller.expiresAt?.getTime() ?? Infinity);
      const expiresAt = new Date(Math.floor(end / 1_000) * 1_000);
      const accounts = accountIds ?? (caller.accountIds === null ? null : [...caller.accountIds]);
      const token = await new SignJWT({ scopes, accounts, origins })
        .setProtectedHeader({ alg: algorithm, typ: type })
        .setIssuer(issuer)
        .setSubject(caller.keyId)
        .setJti(id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(keys.current);
      if (token.length <= maxTokenLength) return { id, token, expiresAt };
      const detail = `The token would have ${token.length} characters, and can have ${maxTokenLength}: name fewer accounts and origins.`;
      throw new ServiceError('limit_too_high', { detail });
    },

    /** @throws ServiceError `invalid_credentials` or `expired_credentials`, of the token or its key */
    async authenticate(token: string): Promise<Caller> {
      const { jti, sub, exp, scopes, accounts, origins } = await claimsOf(token);
      const key = await findKey(sub);
      const expiresAt = new Date(Math.min(exp * 1_000, key.expiresAt?.getTime() ?? Infinity));
      return {
        ...key,
        token: { id: jti, origins },
        scopes: new Set(scopes.filter((scope) => permits(key.scopes, scope))),
        accountIds: intersection(key.accountIds, accounts),
        expiresAt,
      };
    },
  };
}

/** The intersection, where null is everything. */
function intersection(all: ReadonlySet<string> | null, some: readonly string[] | null): ReadonlySet<string> | null {
  if (some === null) return all;
  return new Set(all === null ? some : some.filter((each) => all.has(each)));
}
