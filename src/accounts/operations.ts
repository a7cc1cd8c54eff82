import { z } from 'zod';
import { operation } from '../operation.ts';
import { pageLimit } from '../shape.ts';

/** Bounds of the lists that are additions to the contract; the webhook list's. */
export const accountListLimits = { limit: { min: 1, max: 250, default: 100 } } as const;

export const listAccounts = operation({
  scope: 'accounts:read',
  shape: z.strictObject({
    limit: pageLimit(accountListLimits.limit.max).optional(),
    cursor: z.string().min(1, 'must not be empty').optional(),
  }),
  run: (ports, call, request) => ports.accounts.list(call, request),
});
