// #region tokens
/** An access token of the gateway for each visitor, which can do no more than the visitor may. */
import { address, required } from './settings.ts';
import type { Visitor } from './visitors.ts';

const headers = { authorization: `Bearer ${required('POSTERN_KEY')}`, 'content-type': 'application/json' };
const query = `mutation TokenOfVisitor($accountIds: [ID!]!) {
  createAccessToken(input: { scopes: [ACCOUNTS_READ, POSTS_READ, JOBS_WRITE], accountIds: $accountIds, expiresIn: 900 }) {
    ... on AccessTokenCreated { token expiresAt }
    ... on ServiceError { code message }
  }
}`;
const tokens = new Map<Visitor, { readonly token: Promise<string>; renewAt: number }>();

/** A token that lasts another minute at least. Requests at once get the same one. @throws Error if the gateway gives none */
export function tokenOf(visitor: Visitor): Promise<string> {
  const kept = tokens.get(visitor);
  if (kept && Date.now() < kept.renewAt) return kept.token;
  const created = createToken(visitor);
  const asked = { token: created.then(({ token }) => token), renewAt: Infinity };
  tokens.set(visitor, asked);
  const settle = ({ expiresAt }: { readonly expiresAt: string }) => {
    asked.renewAt = Date.parse(expiresAt) - 60_000;
  };
  created.then(settle, () => tokens.delete(visitor));
  return asked.token;
}

/** Sends with the token of a visitor, and once more with a new one if the gateway refuses it. */
export async function withTokenOf(visitor: Visitor, send: (token: string) => Promise<Response>): Promise<Response> {
  const token = tokenOf(visitor);
  const response = await send(await token);
  if (response.status !== 401) return response;
  await response.body?.cancel();
  if (tokens.get(visitor)?.token === token) tokens.delete(visitor);
  return send(await tokenOf(visitor));
}
// #endregion

async function createToken({ accountIds }: Visitor): Promise<{ readonly token: string; readonly expiresAt: string }> {
  const body = JSON.stringify({ query, variables: { accountIds } });
  const response = await fetch(`${address}/graphql`, { method: 'POST', headers, body });
  const { data, errors } = await response.json();
  const { token, expiresAt, message = errors?.[0]?.message } = data?.createAccessToken ?? {};
  if (!token) throw new Error(`The gateway gave no access token: ${message}`);
  return { token, expiresAt };
}
