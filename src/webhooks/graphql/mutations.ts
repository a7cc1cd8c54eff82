import { builder } from '../../graphql/builder.ts';
import { mutationResult } from '../../graphql/errors.ts';
import { globalId } from '../../graphql/node.ts';
import { withoutNulls } from '../../graphql/words.ts';
import { createWebhook, deleteWebhook } from '../operations.ts';
import type { WebhookCreated, WebhookDeleted } from '../shapes.ts';
import { CreateWebhookInput, createRequest, DeleteWebhookInput } from './inputs.ts';
import { findWebhook, WebhookInterface } from './queries.ts';

const WebhookCreatedType = builder.objectRef<WebhookCreated>('WebhookCreated').implement({
  description: 'The webhook was made.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the new webhook.' }),
    webhook: t.field({
      type: WebhookInterface,
      nullable: true,
      description: 'The new webhook. Scope: `webhooks:read`.',
      resolve: ({ webhook_id }, _args, context) => findWebhook(webhook_id, context),
    }),
  }),
});

/** The contract's answer does not repeat the id; GraphQL caches need it to forget the webhook. */
type Deleted = WebhookDeleted & { readonly webhook_id: string };

const WebhookDeletedType = builder.objectRef<Deleted>('WebhookDeleted').implement({
  description: 'The webhook was deleted, and deliveries for it stop. This cannot be undone.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id that the webhook had.' }),
    deletedId: t.id({
      description: 'Global id that the webhook had, for a cache to forget it.',
      resolve: ({ webhook_id }) => globalId('Webhook', webhook_id),
    }),
  }),
});

export const createResult = mutationResult<WebhookCreated>(
  'CreateWebhookResult',
  'The new webhook, or why there is none.',
  [WebhookCreatedType],
  ['request', 'not_found', 'account'],
);

const deleteResult = mutationResult<Deleted>(
  'DeleteWebhookResult',
  'The deleted webhook, or why it was not deleted.',
  [WebhookDeletedType],
  ['request', 'not_found', 'account'],
);

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: createResult.type,
    description: 'Makes a webhook for the events of one source. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: CreateWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) => {
      const request = createRequest(withoutNulls(input));
      return createResult.attempt(request, createWebhook(context, request));
    },
  }),
  deleteWebhook: t.field({
    type: deleteResult.type,
    description: 'Deletes a webhook for good, and stops its deliveries. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: DeleteWebhookInput, required: true, description: 'The webhook to delete.' }) },
    resolve: (_root, { input: { webhookId } }, context) => {
      const deletion = deleteWebhook(context, { id: webhookId }).then((deleted) => ({
        ...deleted,
        webhook_id: webhookId,
      }));
      return deleteResult.attempt({ id: webhookId }, deletion);
    },
  }),
}));
