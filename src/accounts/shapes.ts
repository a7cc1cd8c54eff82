/** Connected accounts as callers see them: an addition to the contract. */
import { z } from 'zod';
import type { AccountStatus, AccountType } from '../auth/account.ts';
import { maxPage, pageCursor, pageLimit } from '../validation.ts';

/** A connected account as callers see it. */
export interface Account {
  readonly account_id: string;
  readonly name: string | null;
  readonly type: AccountType;
  readonly status: AccountStatus;
}

/** Bounds of the list, the same as those of the webhook list. */
export const accountListLimits = { limit: { min: 1, max: maxPage, default: 100 } } as const;

export const accountListShape = z.strictObject({
  limit: pageLimit(accountListLimits.limit.max).optional(),
  cursor: pageCursor().optional(),
});

export type AccountListRequest = z.infer<typeof accountListShape>;
