import { requireAccount } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { PageSource } from '../../kernel/page-source.ts';
import type { Page } from '../../kernel/paging.ts';
import type { WireResponse } from '../../kernel/request-context.ts';
import { pageOf, type Upstream } from '../../upstream/client.ts';
import { postEndpoints } from './endpoints.ts';
import type { PostsPort } from './port.ts';
import type { Post, PostList, PostListRequest } from './shapes.ts';

/** Unchecked: readers of posts are tolerant. */
export function upstreamPosts(upstream: Upstream): PostsPort {
  const port: PostsPort = {
    async list(context, request) {
      requireAccount(context.caller, request.account_id);
      return postListOf(await upstream.call(context, postEndpoints.list, request));
    },
  };
  return upstream.isTranslated(postEndpoints.list) ? port : { ...port, pages: postPages(upstream) };
}

const postPages = (upstream: Upstream): PageSource<PostListRequest, Page<Post>> => ({
  items: 'items',
  joins: true,
  metadata: { object: 'leaf', cursor: 'leaf' },
  read(context, requests) {
    // Before any call: nobody would wait for one that is under way.
    for (const { account_id } of requests) requireAccount(context.caller, account_id);
    const reads = requests.map((request) => upstream.read(context, postEndpoints.list, request));
    return Promise.all(reads).then((responses) => responses.map(bodyOf));
  },
  page(metadata) {
    if (!isPostList(metadata))
      throw new ServiceError('provider_error', { detail: 'The response is not a list of posts.' });
    return pageOf(metadata);
  },
});

const bodyOf = ({ body }: WireResponse) => body;

const isPostList = (metadata: object): metadata is PostList => 'object' in metadata && metadata.object === 'PostList';

/** @param response of which only `object` has been checked */
function postListOf(response: PostList): PostList {
  const { items, cursor } = pageOf(response);
  // Not made up: the service's count may be of something else than the items.
  const paging = Object(response.paging) === response.paging ? response.paging : ({} as PostList['paging']);
  return { object: 'PostList', items, cursor, paging };
}
