import { requireAccount } from '../auth/account-access.ts';
import { pageOf, type Upstream } from '../upstream/client.ts';
import { postEndpoints } from './endpoints.ts';
import type { PostsPort } from './port.ts';

/** Posts as a remote service lists them. They are not checked here: what reads them is tolerant. */
export function upstreamPosts(upstream: Upstream): PostsPort {
  return {
    async list(context, request) {
      requireAccount(context.caller, request.account_id);
      const { items, cursor } = pageOf(await upstream.call(context, postEndpoints.list, request));
      return { object: 'PostList', items, cursor, paging: { page_count: items.length } };
    },
  };
}
