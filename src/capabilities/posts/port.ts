import type { PageSource } from '../../kernel/page-source.ts';
import type { Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { Post, PostList, PostListRequest } from './shapes.ts';

export interface PostsPort {
  /**
   * Newest first, as the account's network shows them; `limit` is 1 to 100, by default 100. Other callers may share the
   * objects, so nobody changes them.
   * @throws ServiceError for every failure; that of the account comes before that of the identifier
   */
  list(context: RequestContext, request: PostListRequest): Promise<PostList>;
  /** The same pages as JSON, unless the backend's have other words. */
  readonly pages?: PageSource<PostListRequest, Page<Post>>;
}
