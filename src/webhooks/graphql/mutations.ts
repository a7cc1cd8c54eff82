import { builder } from '../../graphql/builder.ts';
import { mutationField, mutationResult } from '../../graphql/mutation.ts';
import { globalId } from '../../graphql/node.ts';
import {
  createTriggerWebhook,
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  setWebhookEnabled,
  showWebhookSecret,
  updateWebhook,
} from '../operations.ts';
import type { WebhookCreated, WebhookDeleted, WebhookSecret, WebhookUpdated } from '../shapes.ts';
import {
  CreateTriggerWebhookInput,
  CreateWebhookInput,
  DeleteWebhookInput,
  SetWebhookEnabledInput,
  UpdateWebhookInput,
  WebhookSecretInput,
  webhookRequest,
} from './inputs.ts';
import { WebhookInterface } from './webhook.ts';

const failures = ['request', 'not_found', 'account', 'performed'] as const;

const WebhookCreatedType = builder.objectRef<WebhookCreated>('WebhookCreated').implement({
  description: 'The webhook was made.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the new webhook.' }),
    webhook: t.field({
      type: WebhookInterface,
      nullable: true,
      description: 'The new webhook. Scope: `webhooks:read`.',
      resolve: ({ webhook_id }, _args, { loaders }) => loaders.webhooks.load(webhook_id),
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

const createResult = mutationResult<WebhookCreated>(
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

const WebhookUpdatedType = builder.objectRef<WebhookUpdated>('WebhookUpdated').implement({
  description: 'The webhook was changed.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    webhook: t.field({
      type: WebhookInterface,
      nullable: true,
      description: 'The webhook as it is now. Scope: `webhooks:read`.',
      resolve: ({ webhook_id }, _args, { loaders }) => {
        loaders.webhookHealth.clear(webhook_id);
        return loaders.webhooks.clear(webhook_id).load(webhook_id);
      },
    }),
  }),
});

const secretType = (name: WebhookSecret['object'], description: string) =>
  builder.objectRef<WebhookSecret>(name).implement({
    description,
    fields: (t) => ({
      webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
      secret: t.exposeString('secret', {
        description: 'The signing secret, as Standard Webhooks libraries take it. Keep it: it is not shown again.',
      }),
    }),
  });

const updateResult = mutationResult<WebhookUpdated>(
  'UpdateWebhookResult',
  'The changed webhook, or why it was not changed.',
  [WebhookUpdatedType],
  failures,
);
const rotateResult = mutationResult<WebhookSecret>(
  'RotateWebhookSecretResult',
  'The new secret, or why there is none.',
  [secretType('WebhookSecretRotated', 'There is a new secret. The former one signs beside it for 24 hours.')],
  failures,
);
const showResult = mutationResult<WebhookSecret>(
  'ShowWebhookSecretResult',
  'The secret, or why it is not shown.',
  [secretType('WebhookSecretShown', 'The secret of the webhook, this once.')],
  failures,
);

mutationField('createWebhook', {
  description: 'Creates a webhook for the events of one source.',
  input: CreateWebhookInput,
  inputDescription: 'The webhook.',
  result: createResult,
  operation: createWebhook,
  toRequest: webhookRequest,
});

mutationField('createTriggerWebhook', {
  description: 'Creates a webhook that is fired by hand, from a message or a chat.',
  input: CreateTriggerWebhookInput,
  inputDescription: 'The webhook.',
  result: createResult,
  operation: createTriggerWebhook,
});

mutationField('updateWebhook', {
  description:
    'Updates a webhook: only the fields that are present change. Pending deliveries are sent with the new settings.',
  input: UpdateWebhookInput,
  inputDescription: 'What to change.',
  result: updateResult,
  operation: updateWebhook,
  toRequest: webhookRequest,
});

mutationField('setWebhookEnabled', {
  description: 'Enables or disables a webhook. Events for a disabled one are held; `redeliverAll` sends them.',
  input: SetWebhookEnabledInput,
  inputDescription: 'The webhook, and whether to enable it.',
  result: updateResult,
  operation: setWebhookEnabled,
});

mutationField('rotateWebhookSecret', {
  description: 'Creates a new signing secret for a webhook.',
  input: WebhookSecretInput,
  inputDescription: 'The webhook.',
  result: rotateResult,
  operation: rotateWebhookSecret,
});

mutationField('showWebhookSecret', {
  description: 'Shows the signing secret of a webhook, once; after that only a rotation gives one.',
  input: WebhookSecretInput,
  inputDescription: 'The webhook.',
  result: showResult,
  operation: showWebhookSecret,
});

mutationField('deleteWebhook', {
  description: 'Deletes a webhook permanently, and stops its deliveries.',
  input: DeleteWebhookInput,
  inputDescription: 'The webhook to delete.',
  result: deleteResult,
  operation: deleteWebhook,
  toRequest: ({ webhookId }) => ({ id: webhookId }),
  toSuccess: (deleted, { webhookId }) => ({ ...deleted, webhook_id: webhookId }),
});
