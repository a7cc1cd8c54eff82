import { operation } from '../operation.ts';
import { postListRequestShape } from './shapes.ts';

// The contract lets this endpoint respond with no 400.
export const listPosts = operation('posts:read', postListRequestShape, ({ posts }) => posts.list, {
  invalid: 'unprocessable_entity',
});
