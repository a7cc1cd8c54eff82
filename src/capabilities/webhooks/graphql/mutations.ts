import { builder } from '../../../graphql/kit/builder.ts';
import { globalId } from '../../../graphql/kit/global-ids.ts';
import { repeatedOfCreation } from '../../../graphql/kit/idempotent-mutation.ts';
import { mutationField, mutationResult } from '../../../graphql/kit/mutation.ts';
import { required } from '../../../graphql/kit/network-values.ts';
import { foundById } from '../../../graphql/kit/node.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import {
  createTriggerWebhook,
  createWebhook,
  deleteWebhook,
  findWebhooks,
  revealWebhookSecret,
  rotateWebhookSecret,
  updateWebhook,
} from '../operations.ts';
import type { WebhookCreated, WebhookDeleted, WebhookSecret, WebhookUpdated } from '../shapes.ts';
import {
  CreateTriggerWebhookInput,
  CreateWebhookInput,
  DeleteWebhookInput,
  RevealWebhookSecretInput,
  RotateWebhookSecretInput,
  refuseEmptyLists,
  UpdateWebhookInput,
  webhookRequest,
} from './inputs.ts';
import { WebhookObject } from './webhook.ts';

interface Created extends WebhookCreated {
  readonly repeated: boolean;
}

const toCreated = (created: WebhookCreated, _input: unknown, repeated: boolean): Created => ({ ...created, repeated });

const WebhookCreatedObject = builder.objectRef<Created>('WebhookCreated').implement({
  description: 'A webhook was created.',
  fields: (t) => ({
    isRepeated: t.exposeBoolean('repeated', repeatedOfCreation),
    webhookId: t.exposeID('webhook_id', required('Id of the webhook.')),
    webhook: t.field({
      type: WebhookObject,
      ...foundById('The new webhook.', findWebhooks),
      resolve: ({ webhook_id }, _args, { loaders }) => {
        if (typeof webhook_id === 'string') return loaders.webhooks.load(webhook_id);
        throw new ServiceError('provider_error', { detail: 'The service did not say the id of the new webhook.' });
      },
    }),
  }),
});

/** The contract's response omits the id, which GraphQL caches need to evict the webhook. */
type Deleted = WebhookDeleted & { readonly webhook_id: string };

const WebhookDeletedObject = builder.objectRef<Deleted>('WebhookDeleted').implement({
  description: 'A webhook was deleted for good.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    deletedId: t.id({
      description: 'Global id to evict from caches.',
      resolve: ({ webhook_id }) => globalId('Webhook', webhook_id),
    }),
  }),
});

const createResult = mutationResult<Created>('CreateWebhookResult', 'The webhook, or an error.', [
  WebhookCreatedObject,
]);

const deleteResult = mutationResult<Deleted>('DeleteWebhookResult', 'The deleted webhook, or an error.', [
  WebhookDeletedObject,
]);

const WebhookUpdatedObject = builder.objectRef<WebhookUpdated>('WebhookUpdated').implement({
  description: 'A webhook was updated.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    webhook: t.field({
      type: WebhookObject,
      ...foundById('The updated webhook.', findWebhooks),
      resolve: ({ webhook_id }, _args, { loaders }) => {
        loaders.webhookHealth.clear(webhook_id);
        loaders.wholeWebhooks.clear(webhook_id);
        return loaders.webhooks.clear(webhook_id).load(webhook_id);
      },
    }),
  }),
});

const WebhookSecretObject = builder.objectRef<WebhookSecret>('WebhookSecret').implement({
  description: 'A signing secret, shown once.',
  fields: (t) => ({
    secret: t.exposeString('secret', {
      description: 'The secret, as libraries of Standard Webhooks take it.',
    }),
  }),
});

const updateResult = mutationResult<WebhookUpdated>('UpdateWebhookResult', 'The updated webhook, or an error.', [
  WebhookUpdatedObject,
]);
const secretResult = mutationResult<WebhookSecret>('WebhookSecretResult', 'The secret, or an error.', [
  WebhookSecretObject,
]);

mutationField('createWebhook', {
  description: 'Creates a webhook for events of one source.',
  input: CreateWebhookInput,
  inputDescription: 'The webhook to create.',
  result: createResult,
  operation: createWebhook,
  oncePerKey: true,
  refuse: refuseEmptyLists,
  toRequest: webhookRequest,
  toSuccess: toCreated,
});

mutationField('createTriggerWebhook', {
  description: 'Creates a webhook that people fire.',
  input: CreateTriggerWebhookInput,
  inputDescription: 'The TRIGGER webhook to create.',
  result: createResult,
  operation: createTriggerWebhook,
  oncePerKey: true,
  refuse: refuseEmptyLists,
  toRequest: webhookRequest,
  toSuccess: toCreated,
});

mutationField('updateWebhook', {
  description: 'Changes a webhook. Held deliveries wait for `redeliverWebhookDeliveries`.',
  input: UpdateWebhookInput,
  inputDescription: 'The webhook and its changes.',
  result: updateResult,
  operation: updateWebhook,
  refusesNull: true,
  refuse: refuseEmptyLists,
  toRequest: webhookRequest,
});

mutationField('rotateWebhookSecret', {
  description: 'Replaces the signing secret. The previous one is valid for 24 hours.',
  input: RotateWebhookSecretInput,
  inputDescription: 'A webhook to give a new secret.',
  result: secretResult,
  operation: rotateWebhookSecret,
});

mutationField('revealWebhookSecret', {
  description: 'Shows the signing secret of a webhook, once.',
  input: RevealWebhookSecretInput,
  inputDescription: 'A webhook to show the secret of.',
  result: secretResult,
  operation: revealWebhookSecret,
});

mutationField('deleteWebhook', {
  description: 'Deletes a webhook for good, with all its deliveries.',
  input: DeleteWebhookInput,
  inputDescription: 'The webhook to delete.',
  result: deleteResult,
  operation: deleteWebhook,
  toRequest: ({ webhookId }) => ({ id: webhookId }),
  toSuccess: (deleted, { webhookId }) => ({ ...deleted, webhook_id: webhookId }),
});
