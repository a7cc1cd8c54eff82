import { operation } from '../operation.ts';
import { postListRequestShape } from './shapes.ts';

export const listPosts = operation({
  scope: 'posts:read',
  shape: postListRequestShape,
  // The contract lets this endpoint answer no 400.
  invalid: 'unprocessable_entity',
  run: (ports, call, request) => ports.posts.list(call, request),
});
