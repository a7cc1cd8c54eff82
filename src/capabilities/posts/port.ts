import type { PageSource } from '../../kernel/page-source.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { PostList, PostListRequest } from './shapes.ts';

/** What the gateway can do with posts. */
export interface PostsPort {
  /**
   * One page of the posts of a user or company, newest first, as the account's network shows them. `limit` is 1 to 100
   * and defaults to 100. Other callers may get the same objects, so they must not be changed.
   * @throws ServiceError for every failure; one of the account comes before one of the identifier
   */
  list(context: RequestContext, request: PostListRequest): Promise<PostList>;
  /** The same pages as bytes, where the backend has bytes. */
  readonly pages?: PageSource<PostListRequest, PostList>;
}
