import type { RequestContext } from '../request-context.ts';
import type { PostList, PostListRequest } from './shapes.ts';

/** What can be asked about posts. */
export interface PostsPort {
  /**
   * One page of the posts of a user or company, newest first, as the account's network shows them: 1 to 100, 100 unless
   * `limit` says otherwise. The objects may be shared with other callers: nobody changes them.
   */
  list(context: RequestContext, request: PostListRequest): Promise<PostList>;
}
