import { ServiceError } from '../errors.ts';

/**
 * The items and the next cursor of a list as it was answered. The items are as they came: one that is odd costs nobody
 * the page.
 */
export function pageOf<T>(answer: unknown): { readonly items: T[]; readonly cursor: string | null } {
  const { items, cursor = null } = answer as { readonly items?: unknown; readonly cursor?: unknown };
  if (!Array.isArray(items) || (cursor !== null && typeof cursor !== 'string')) {
    throw new ServiceError('provider_error', { detail: 'The answer of the upstream service is not a list.' });
  }
  // The contract's cursors have a character at least: an empty one names no page.
  return { items, cursor: cursor === '' ? null : cursor };
}
