import { operation } from '../../kernel/operation.ts';
import { postListRequestShape } from './shapes.ts';

// The contract has no 400 for this endpoint.
export const listPosts = operation('posts:read', postListRequestShape, ({ posts }) => posts.list, {
  invalid: 'unprocessable_entity',
});
