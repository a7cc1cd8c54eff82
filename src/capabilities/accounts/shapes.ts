/** Connected accounts as callers see them: an addition to the contract. */
import { z } from 'zod';
import { type AccountStatus, type AccountType, accountStatuses, accountTypes } from '../../auth/account.ts';
import { keysOf } from '../../kernel/lib/keys-of.ts';
import { anyOf, type CursorScope } from '../../kernel/paging.ts';
import { anyValueOf, maxPage, pageCursor, pageLimit, watchedIds } from '../../kernel/validation.ts';

/** A connected account as callers see it. */
export interface Account {
  readonly account_id: string;
  readonly name: string | null;
  readonly type: AccountType;
  readonly status: AccountStatus;
}

/** Bounds of the list, the same as those of the webhook list. */
export const accountListLimits = { limit: { min: 1, max: maxPage, default: 100 } } as const;

const filter = { type: anyValueOf(accountTypes), status: anyValueOf(keysOf(accountStatuses)) };

export const accountFilterShape = z.strictObject(filter);

export const accountListShape = z.strictObject({
  ...filter,
  limit: pageLimit(accountListLimits.limit.max).optional(),
  cursor: pageCursor().optional(),
});

/** The accounts to watch. */
export const accountWatchShape = z.strictObject({ account_ids: watchedIds() });

export type AccountWatch = z.infer<typeof accountWatchShape>;
export type AccountFilter = z.infer<typeof accountFilterShape>;
export type AccountListRequest = z.infer<typeof accountListShape>;

/** What a cursor of the list is bound to beside the key. */
export const accountListScope = ({ type, status }: AccountFilter): CursorScope => [anyOf(type), anyOf(status)];
