/** Connected accounts as callers see them: an addition to the contract. */
import { z } from 'zod';
import { tokenLifetime } from '../../auth/access-tokens.ts';
import { type AccountStatus, type AccountType, accountStatuses, accountTypes } from '../../auth/account.ts';
import { scopeNames, unscopedToken } from '../../kernel/caller.ts';
import { keysOf } from '../../kernel/lib/objects.ts';
import { anyOf, type CursorScope } from '../../kernel/paging.ts';
import {
  anyValueOf,
  boundedList,
  identifier,
  maxPage,
  pageCursor,
  pageLimit,
  rule,
  shortText,
  watchedIds,
} from '../../kernel/validation.ts';

export interface Account {
  readonly account_id: string;
  readonly name: string | null;
  readonly type: AccountType;
  readonly status: AccountStatus;
}

/** The same as those of the webhook list. */
export const accountListLimits = { limit: { min: 1, max: maxPage, default: 100 } } as const;

const accountFilter = { types: anyValueOf(accountTypes), statuses: anyValueOf(keysOf(accountStatuses)) };

export const accountFilterShape = z.strictObject(accountFilter);

export const accountListShape = z.strictObject({
  ...accountFilter,
  limit: pageLimit(accountListLimits.limit).optional(),
  cursor: pageCursor().optional(),
});

export const accountWatchShape = z.strictObject({ account_ids: watchedIds() });

export type AccountWatch = z.infer<typeof accountWatchShape>;
export type AccountFilter = z.infer<typeof accountFilterShape>;
export type AccountListRequest = z.infer<typeof accountListShape>;

/** Binds cursors, beside the key. */
export const accountListScope = ({ types, statuses }: AccountFilter): CursorScope => [anyOf(types), anyOf(statuses)];

/** Limits of one token, which has to fit into a header. */
const tokenLimits = { accountIds: 20, origins: 10 } as const;

/** As browsers write one: `https://app.example`. A wildcard would match none. */
const origin = () =>
  shortText().refine(
    (value) => /^https?:[^*]*$/.test(value) && URL.parse(value)?.origin === value,
    rule('malformed', 'must be an origin, such as https://app.example'),
  );

const tokenScope = () =>
  z.enum(scopeNames).refine((scope) => !unscopedToken.has(scope), rule('not_allowed', 'is a scope for keys alone'));

export const accessTokenShape = z.strictObject({
  scopes: boundedList(tokenScope(), 1, scopeNames.length),
  account_ids: boundedList(identifier(), 1, tokenLimits.accountIds).optional(),
  expires_in: z.int().min(tokenLifetime.min).max(tokenLifetime.max).default(tokenLifetime.default),
  origins: boundedList(origin(), 1, tokenLimits.origins).optional(),
});

export type AccessTokenRequest = z.infer<typeof accessTokenShape>;

export interface AccessTokenCreated {
  readonly object: 'AccessTokenCreated';
  readonly token: string;
  readonly token_id: string;
  readonly expires_at: string;
}
