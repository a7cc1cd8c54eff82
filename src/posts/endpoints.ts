import type { Endpoint } from '../endpoint.ts';
import { listPosts } from './operations.ts';
import { postListShape } from './shapes.ts';

export const postEndpoints = [
  {
    name: 'POSTS',
    method: 'GET',
    path: '/users/{identifier}/posts',
    summary: 'List posts of a user or company',
    operation: listPosts,
    status: 200,
    answer: postListShape,
    query: { account_id: 'text', cursor: 'cursor', limit: 'integer', is_company: 'boolean' },
  },
] as const satisfies readonly Endpoint[];
