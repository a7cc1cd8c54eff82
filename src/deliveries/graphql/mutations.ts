import { builder } from '../../graphql/builder.ts';
import { mutationField, mutationResult } from '../../graphql/mutation.ts';
import { emitEvent, fireTrigger, redeliver, redeliverAll, sendTestEvent } from '../operations.ts';
import type { DeliveriesRedelivered, DeliveryScheduled, EventEmitted } from '../shapes.ts';
import { DeliveryType } from './delivery.ts';
import {
  EmitEventInput,
  emitRequest,
  FireTriggerWebhookInput,
  fireRequest,
  RedeliverAllInput,
  RedeliverInput,
  SendTestEventInput,
} from './inputs.ts';

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
      resolve: ({ delivery_ids }, _args, { loaders }) => delivery_ids.map((id) => loaders.deliveries.load(id)),
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
      resolve: ({ delivery_id }, _args, { loaders }) => loaders.deliveries.load(delivery_id),
    }),
  }),
});

const DeliveriesRedeliveredType = builder.objectRef<DeliveriesRedelivered>('DeliveriesRedelivered').implement({
  description: 'The deliveries are sent once more.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    count: t.exposeInt('count', { description: 'How many there are.' }),
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
const redeliverAllResult = mutationResult<DeliveriesRedelivered>(
  'RedeliverAllResult',
  'How many are sent, or why none is.',
  [DeliveriesRedeliveredType],
  failures,
);
mutationField('emitEvent', {
  description: 'Reports an event of an account. It is delivered to every webhook that listens to it.',
  input: EmitEventInput,
  inputDescription: 'The event.',
  result: emitResult,
  operation: emitEvent,
  toRequest: emitRequest,
});

mutationField('fireTriggerWebhook', {
  description: 'Fires a TRIGGER webhook from a message or a chat.',
  input: FireTriggerWebhookInput,
  inputDescription: 'What to fire.',
  result: emitResult,
  operation: fireTrigger,
  toRequest: fireRequest,
});

mutationField('sendTestEvent', {
  description: 'Sends a sample event to one webhook, and to no other.',
  input: SendTestEventInput,
  inputDescription: 'The webhook.',
  result: emitResult,
  operation: sendTestEvent,
});

mutationField('redeliver', {
  description: 'Resends a delivery that has succeeded, failed or been held.',
  input: RedeliverInput,
  inputDescription: 'The delivery.',
  result: redeliverResult,
  operation: redeliver,
});

mutationField('redeliverAll', {
  description: "Resends a webhook's deliveries in the given state.",
  input: RedeliverAllInput,
  inputDescription: 'The deliveries to resend.',
  result: redeliverAllResult,
  operation: redeliverAll,
});
