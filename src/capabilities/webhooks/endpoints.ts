import { accountTypes } from '../../auth/account.ts';
import { webhookDataKeys, webhookEvents, webhookSourceNames } from '../../events/sources.ts';
import { type ContractEndpoint, constantsOf } from '../../kernel/endpoint.ts';
import { createWebhook, deleteWebhook, listWebhooks } from './operations.ts';
import {
  triggerContexts,
  triggerIcons,
  webhookCreatedShape,
  webhookDeletedShape,
  webhookFormats,
  webhookListShape,
  webhookShape,
  webhookTypes,
} from './shapes.ts';

/** Terms that an upstream service may spell differently. */
export const webhookVocabularies = {
  webhook_objects: [webhookListShape, webhookShape, webhookCreatedShape, webhookDeletedShape].flatMap((shape) =>
    constantsOf(shape, 'object'),
  ),
  webhook_types: webhookTypes,
  webhook_formats: webhookFormats,
  webhook_sources: webhookSourceNames,
  webhook_events: webhookEvents,
  webhook_data_keys: webhookDataKeys,
  account_types: accountTypes,
  trigger_icons: triggerIcons,
  trigger_contexts: triggerContexts,
} as const;

const common = {
  capability: 'webhooks',
  malformedId: 'invalid_resource_identifier',
  refusesFor: 'key',
} as const;

export const webhookEndpoints = {
  list: {
    ...common,
    name: 'WHLIST',
    operationId: 'listWebhooks',
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    operation: listWebhooks,
    status: 200,
    response: webhookListShape,
    query: { limit: 'integer', cursor: 'cursor' },
    terms: {
      request: {},
      response: {
        object: 'webhook_objects',
        'items.*.object': 'webhook_objects',
        'items.*.type': 'webhook_types',
        'items.*.format': 'webhook_formats',
        'items.*.account_ids.*.type': 'account_types',
        'items.*.data.*.key': 'webhook_data_keys',
        'items.*.events.*': 'webhook_events',
        'items.*.trigger.icon': 'trigger_icons',
        'items.*.trigger.context': 'trigger_contexts',
      },
    },
  },
  create: {
    ...common,
    name: 'WHCREATE',
    operationId: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    operation: createWebhook,
    status: 201,
    response: webhookCreatedShape,
    body: true,
    terms: {
      request: {
        source: 'webhook_sources',
        format: 'webhook_formats',
        'events.*': 'webhook_events',
        'data.*.key': 'webhook_data_keys',
      },
      response: { object: 'webhook_objects' },
    },
  },
  delete: {
    ...common,
    name: 'WHDEL',
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete a webhook',
    operation: deleteWebhook,
    status: 200,
    response: webhookDeletedShape,
    terms: { request: {}, response: { object: 'webhook_objects' } },
  },
} as const satisfies Record<string, ContractEndpoint<keyof typeof webhookVocabularies>>;
