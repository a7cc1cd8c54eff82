import type { Endpoint } from '../endpoint.ts';
import { createWebhook, deleteWebhook, listWebhooks } from './operations.ts';
import { webhookCreatedShape, webhookDeletedShape, webhookListShape } from './shapes.ts';

export const webhookEndpoints = [
  {
    name: 'WHLIST',
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    operation: listWebhooks,
    status: 200,
    answer: webhookListShape,
    query: { limit: 'integer', cursor: 'cursor' },
  },
  {
    name: 'WHCREATE',
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    operation: createWebhook,
    status: 201,
    answer: webhookCreatedShape,
    body: true,
  },
  {
    name: 'WHDEL',
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete a webhook',
    operation: deleteWebhook,
    status: 200,
    answer: webhookDeletedShape,
  },
] as const satisfies readonly Endpoint[];
