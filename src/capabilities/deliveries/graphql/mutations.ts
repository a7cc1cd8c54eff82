import { readsList } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { mutationField, mutationResult } from '../../../graphql/kit/mutation.ts';
import { foundById } from '../../../graphql/kit/node.ts';
import { emitEvent, findDeliveries, fireTrigger, redeliver, redeliverAll, sendTestEvent } from '../operations.ts';
import type { DeliveriesRedelivered, DeliveryScheduled, EventEmitted } from '../shapes.ts';
import { DeliveryObject } from './delivery.ts';
import {
  EmitEventInput,
  emitRequest,
  FireTriggerWebhookInput,
  fireRequest,
  RedeliverAllInput,
  RedeliverInput,
  SendTestEventInput,
} from './inputs.ts';

const EventEmittedObject = builder.objectRef<EventEmitted>('EventEmitted').implement({
  description: 'The event is stored. It is delivered even if the gateway restarts.',
  fields: (t) => ({
    eventId: t.exposeID('event_id', { description: 'Id of the event.' }),
    repeated: t.exposeBoolean('repeated', {
      description:
        'Whether this idempotency key was used before for the account. If so, this is the original event, and nothing new was created.',
    }),
    deliveries: t.field({
      type: [DeliveryObject],
      nullable: { list: false, items: true },
      description: 'Deliveries of the event, one for each webhook, including held ones.',
      runs: findDeliveries,
      extensions: readsList(50),
      resolve: ({ delivery_ids }, _args, { loaders }) => delivery_ids.map((id) => loaders.deliveries.load(id)),
    }),
  }),
});

const DeliveryScheduledObject = builder.objectRef<DeliveryScheduled>('DeliveryScheduled').implement({
  description: 'The delivery is scheduled again, with as many attempts as a new one.',
  fields: (t) => ({
    deliveryId: t.exposeID('delivery_id', { description: 'Id of the delivery.' }),
    delivery: t.field({
      type: DeliveryObject,
      ...foundById('The scheduled delivery.', findDeliveries),
      resolve: ({ delivery_id }, _args, { loaders }) => loaders.deliveries.load(delivery_id),
    }),
  }),
});

const DeliveriesRedeliveredObject = builder.objectRef<DeliveriesRedelivered>('DeliveriesRedelivered').implement({
  description: 'The deliveries are scheduled again.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    count: t.exposeInt('count', { description: 'Number of scheduled deliveries.' }),
  }),
});

const emitResult = mutationResult<EventEmitted>('EmitEventResult', 'The emitted event, or the error.', [
  EventEmittedObject,
]);
const redeliverResult = mutationResult<DeliveryScheduled>('RedeliverResult', 'The scheduled delivery, or the error.', [
  DeliveryScheduledObject,
]);
const redeliverAllResult = mutationResult<DeliveriesRedelivered>(
  'RedeliverAllResult',
  'The number of scheduled deliveries, or the error.',
  [DeliveriesRedeliveredObject],
);

mutationField('emitEvent', {
  description: 'Emits an event of an account. It is delivered to every webhook that is subscribed to it.',
  input: EmitEventInput,
  inputDescription: 'The event to emit.',
  result: emitResult,
  operation: emitEvent,
  toRequest: emitRequest,
});

mutationField('fireTriggerWebhook', {
  description: 'Fires a TRIGGER webhook from a message or a chat.',
  input: FireTriggerWebhookInput,
  inputDescription: 'The webhook to fire, and its context.',
  result: emitResult,
  operation: fireTrigger,
  toRequest: fireRequest,
});

mutationField('sendTestEvent', {
  description: 'Sends a sample event to one webhook only.',
  input: SendTestEventInput,
  inputDescription: 'The webhook to test.',
  result: emitResult,
  operation: sendTestEvent,
});

mutationField('redeliver', {
  description:
    'Redelivers a delivery that has succeeded, failed or been held, or sends one now that waits for its next attempt, if its webhook still listens to its account.',
  input: RedeliverInput,
  inputDescription: 'The delivery to redeliver.',
  result: redeliverResult,
  operation: redeliver,
});

mutationField('redeliverAll', {
  description:
    "Redelivers a webhook's deliveries in the given state, except those for accounts that it no longer listens to.",
  input: RedeliverAllInput,
  inputDescription: 'The deliveries to redeliver.',
  result: redeliverAllResult,
  operation: redeliverAll,
  refusesNull: true,
});
