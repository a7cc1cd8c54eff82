import { requireAccount } from '../auth/account-access.ts';
import { type Endpoint, pageOf, type Upstream } from '../upstream/client.ts';
import type { PostsPort } from './port.ts';
import { attachmentTypes, type Post, type PostList, postProviders, reactions } from './shapes.ts';

/** The words of this capability that an upstream may spell differently. */
export const postVocabularies = {
  post_objects: ['PostList', 'Post'],
  providers: postProviders,
  reactions,
  attachment_types: attachmentTypes,
} as const;

const listEndpoint: Endpoint = {
  capability: 'posts',
  method: 'GET',
  path: '/v1/users/{identifier}/posts',
  answers: ['PostList'],
  malformedId: 'invalid_recipient',
  refusesFor: 'account',
  reads: {
    object: 'post_objects',
    'items.*.object': 'post_objects',
    'items.*.provider': 'providers',
    'items.*.user_reacted': 'reactions',
    'items.*.attachments.*.type': 'attachment_types',
  },
  writes: {},
};

/** The page's count as the service says it, which may count something else than the items; undefined if it is no number. */
function pageCountOf(answer: object): number | undefined {
  const { paging } = answer as { readonly paging?: Partial<PostList['paging']> | null };
  const count: unknown = paging?.page_count;
  return typeof count === 'number' && Number.isFinite(count) ? count : undefined;
}

/** Posts as a remote service lists them. They are not looked at here: what reads them is tolerant. */
export function upstreamPosts(upstream: Upstream): PostsPort {
  return {
    async list(call, { identifier, ...query }) {
      requireAccount(call.caller, query.account_id);
      const answer = await upstream.call<object>(call, listEndpoint, { ids: { identifier }, query });
      const { items, cursor } = pageOf<Post>(answer);
      return { object: 'PostList', items, cursor, paging: { page_count: pageCountOf(answer) ?? items.length } };
    },
  };
}
