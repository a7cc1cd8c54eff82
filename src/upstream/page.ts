import { ServiceError } from '../kernel/errors.ts';

/**
 * The items and the next cursor of a list response. The items are as they came: an odd one costs nobody the page.
 * @param response of which only `object` has been checked
 * @throws ServiceError `provider_error` for a response that is no list
 */
export function pageOf<Item>(response: { readonly items: readonly Item[]; readonly cursor: string | null }): {
  readonly items: Item[];
  readonly cursor: string | null;
} {
  const { items, cursor = null } = response;
  if (!Array.isArray(items) || (cursor !== null && typeof cursor !== 'string')) {
    throw new ServiceError('provider_error', { detail: 'The response of the upstream service is not a list.' });
  }
  // The contract's cursors have at least one character: an empty one names no page.
  return { items, cursor: cursor === '' ? null : cursor };
}
