/** Who may call this server, and which accounts each of them may see. Your sessions take the place of this file. */
import { createHash } from 'node:crypto';
import { required } from './settings.ts';

export interface Visitor {
  readonly name: string;
  readonly accountIds: readonly string[];
}

// By hash, so that the time of a look-up says nothing of a token.
const hash = (token: string) => createHash('sha256').update(token).digest('base64');
const visitors = new Map<string, Visitor>([
  [hash(required('VISITOR_TOKEN')), { name: 'Grace', accountIds: ['pnet-----------------A'] }],
]);

/** The visitor whose token a request has. */
export function visitorOf({ headers }: Request): Visitor | undefined {
  const [, token] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
  return token === undefined ? undefined : visitors.get(hash(token));
}

/** What a request of anybody else gets. */
export const refusal = () =>
  Response.json({ errors: [{ message: 'Sign in first.', extensions: { code: 'UNAUTHENTICATED' } }] }, { status: 401 });
