import { requireAccount } from '../auth/account-access.ts';
import { pageOf, type Upstream } from '../upstream/client.ts';
import { postEndpoints } from './endpoints.ts';
import type { PostsPort } from './port.ts';

/** Posts as a remote service lists them. They are not checked here: what reads them is tolerant. */
export function upstreamPosts(upstream: Upstream): PostsPort {
  return {
    async list(context, request) {
      requireAccount(context.caller, request.account_id);
      const response = await upstream.call(context, postEndpoints.list, request);
      const { items, cursor } = pageOf(response);
      return { object: 'PostList', items, cursor, paging: { page_count: pageCountOf(response) ?? items.length } };
    },
  };
}

/** The count as the service says it, which may count something else than the items; undefined if it is no number. */
function pageCountOf({ paging }: { readonly paging?: { readonly page_count?: unknown } | null }): number | undefined {
  const count = paging?.page_count;
  return typeof count === 'number' && Number.isFinite(count) ? count : undefined;
}
