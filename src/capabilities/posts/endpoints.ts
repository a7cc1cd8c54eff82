import { type ContractEndpoint, constantsOf } from '../../kernel/endpoint.ts';
import { listPosts } from './operations.ts';
import { attachmentTypes, postListShape, postProviders, postShape, reactions } from './shapes.ts';

/** Terms that an upstream service may spell differently. */
export const postVocabularies = {
  post_objects: [postListShape, postShape].flatMap((shape) => constantsOf(shape, 'object')),
  providers: postProviders,
  reactions,
  attachment_types: attachmentTypes,
} as const;

export const postEndpoints = {
  list: {
    name: 'POSTS',
    operationId: 'listPosts',
    capability: 'posts',
    method: 'GET',
    path: '/users/{identifier}/posts',
    summary: 'List posts of a user or company',
    operation: listPosts,
    status: 200,
    response: postListShape,
    query: { account_id: 'text', cursor: 'cursor', limit: 'integer', is_company: 'boolean' },
    malformedId: 'invalid_recipient',
    refusesFor: 'account',
    terms: {
      request: {},
      response: {
        object: 'post_objects',
        'items.*.object': 'post_objects',
        'items.*.provider': 'providers',
        'items.*.user_reacted': 'reactions',
        'items.*.attachments.*.type': 'attachment_types',
      },
    },
  },
} as const satisfies Record<string, ContractEndpoint<keyof typeof postVocabularies>>;
