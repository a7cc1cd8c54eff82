/** What is done about events, deliveries and webhooks beyond the contract. Embedded backend only. */
import { builder } from '../../graphql/builder.ts';
import { mutationResult } from '../../graphql/errors.ts';
import { toContract, withoutNulls } from '../../graphql/words.ts';
import type {
  DeliveriesReplayed,
  DeliveryScheduled,
  EventEmitted,
  WebhookSecret,
  WebhookUpdated,
} from '../deliveries.ts';
import {
  createTriggerWebhook,
  emitEvent,
  fireTrigger,
  redeliver,
  replayDeliveries,
  rotateWebhookSecret,
  sendTestEvent,
  setWebhookEnabled,
  showWebhookSecret,
  updateWebhook,
} from '../deliveries-operations.ts';
import { DeliveryType, findDelivery } from './deliveries.ts';
import {
  CreateTriggerWebhookInput,
  EmitEventInput,
  emitRequest,
  FireTriggerWebhookInput,
  fireRequest,
  RedeliverInput,
  ReplayDeliveriesInput,
  SendTestEventInput,
  SetWebhookEnabledInput,
  UpdateWebhookInput,
  WebhookSecretInput,
} from './delivery-inputs.ts';
import { createRequest } from './inputs.ts';
import { createResult } from './mutations.ts';
import { findWebhook, WebhookInterface } from './queries.ts';

const failures = ['request', 'not_found', 'account', 'performed'] as const;

const EventEmittedType = builder.objectRef<EventEmitted>('EventEmitted').implement({
  description: 'The event is stored: it will be delivered, whatever happens to the gateway.',
  fields: (t) => ({
    eventId: t.exposeID('event_id', { description: 'Id of the event.' }),
    repeated: t.exposeBoolean('repeated', {
      description: 'Whether it had been emitted before under the same idempotency key: then nothing new was made.',
    }),
    deliveries: t.field({
      type: [DeliveryType],
      nullable: { list: false, items: true },
      description: 'One for each webhook that it goes to, held ones included. Scope: `webhooks:read`.',
      resolve: ({ delivery_ids }, _args, context) => delivery_ids.map((id) => findDelivery(id, context)),
    }),
  }),
});

const DeliveryScheduledType = builder.objectRef<DeliveryScheduled>('DeliveryScheduled').implement({
  description: 'The delivery is sent once more, with all the attempts that a new one has.',
  fields: (t) => ({
    deliveryId: t.exposeID('delivery_id', { description: 'Id of the delivery.' }),
    delivery: t.field({
      type: DeliveryType,
      nullable: true,
      description: 'The delivery as it is now. Scope: `webhooks:read`.',
      resolve: ({ delivery_id }, _args, context) => findDelivery(delivery_id, context),
    }),
  }),
});

const DeliveriesReplayedType = builder.objectRef<DeliveriesReplayed>('DeliveriesReplayed').implement({
  description: 'The deliveries are sent once more.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    count: t.exposeInt('count', { description: 'How many there are.' }),
  }),
});

const WebhookUpdatedType = builder.objectRef<WebhookUpdated>('WebhookUpdated').implement({
  description: 'The webhook was changed.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    webhook: t.field({
      type: WebhookInterface,
      nullable: true,
      description: 'The webhook as it is now. Scope: `webhooks:read`.',
      resolve: ({ webhook_id }, _args, context) => {
        context.loaders.webhooks.clear(webhook_id);
        context.loaders.webhookHealth.clear(webhook_id);
        return findWebhook(webhook_id, context);
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

const emitResult = mutationResult<EventEmitted>(
  'EmitEventResult',
  'The event, or why there is none.',
  [EventEmittedType],
  failures,
);
const redeliverResult = mutationResult<DeliveryScheduled>(
  'RedeliverResult',
  'The delivery, or why it is not sent.',
  [DeliveryScheduledType],
  failures,
);
const replayResult = mutationResult<DeliveriesReplayed>(
  'ReplayDeliveriesResult',
  'How many are sent, or why none is.',
  [DeliveriesReplayedType],
  failures,
);
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

builder.mutationFields((t) => ({
  emitEvent: t.field({
    type: emitResult.type,
    description:
      'Reports an event of an account. It is delivered to every webhook that listens to it. Scope: `events:write`.',
    args: { input: t.arg({ type: EmitEventInput, required: true, description: 'The event.' }) },
    resolve: (_root, { input }, context) => {
      const request = emitRequest(input);
      return emitResult.attempt(request, emitEvent(context, request));
    },
  }),
  fireTriggerWebhook: t.field({
    type: emitResult.type,
    description: 'Fires a TRIGGER webhook from a message or a chat. Scope: `events:write`.',
    args: { input: t.arg({ type: FireTriggerWebhookInput, required: true, description: 'What to fire.' }) },
    resolve: (_root, { input }, context) => {
      const request = fireRequest(input);
      return emitResult.attempt(request, fireTrigger(context, request));
    },
  }),
  sendTestEvent: t.field({
    type: emitResult.type,
    description: 'Sends a sample event to one webhook, and to no other. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: SendTestEventInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(withoutNulls(input));
      return emitResult.attempt(request, sendTestEvent(context, request));
    },
  }),
  redeliver: t.field({
    type: redeliverResult.type,
    description: 'Sends a delivery once more that succeeded, failed or is held. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: RedeliverInput, required: true, description: 'The delivery.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(input);
      return redeliverResult.attempt(request, redeliver(context, request));
    },
  }),
  replayDeliveries: t.field({
    type: replayResult.type,
    description: 'Sends the deliveries of a webhook once more that are in a state. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: ReplayDeliveriesInput, required: true, description: 'Which ones.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(withoutNulls(input));
      return replayResult.attempt(request, replayDeliveries(context, request));
    },
  }),
  createTriggerWebhook: t.field({
    type: createResult.type,
    description: 'Makes a webhook that is fired by hand, from a message or a chat. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: CreateTriggerWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(withoutNulls(input));
      return createResult.attempt(request, createTriggerWebhook(context, request));
    },
  }),
  updateWebhook: t.field({
    type: updateResult.type,
    description:
      'Changes a webhook: only the fields that are present change. What waits for it is sent in the new way. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: UpdateWebhookInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, context) => {
      const request = createRequest(withoutNulls(input) as never);
      return updateResult.attempt(request, updateWebhook(context, request));
    },
  }),
  setWebhookEnabled: t.field({
    type: updateResult.type,
    description:
      'Enables or disables a webhook. Events for a disabled one are held; `replayDeliveries` sends them. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: SetWebhookEnabledInput, required: true, description: 'Which, and whether.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(input);
      return updateResult.attempt(request, setWebhookEnabled(context, request));
    },
  }),
  rotateWebhookSecret: t.field({
    type: rotateResult.type,
    description: 'Makes a new signing secret for a webhook. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: WebhookSecretInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(input);
      return rotateResult.attempt(request, rotateWebhookSecret(context, request));
    },
  }),
  showWebhookSecret: t.field({
    type: showResult.type,
    description:
      'Shows the signing secret of a webhook, once; after that only a rotation gives one. Scope: `webhooks:write`.',
    args: { input: t.arg({ type: WebhookSecretInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(input);
      return showResult.attempt(request, showWebhookSecret(context, request));
    },
  }),
}));
