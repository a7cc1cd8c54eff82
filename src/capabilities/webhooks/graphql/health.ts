import { builder } from '../../../graphql/kit/builder.ts';
import { foundById } from '../../../graphql/kit/node.ts';
import { findWebhookHealth } from '../operations.ts';
import type { WebhookHealth } from '../shapes.ts';
import { DisabledReasonEnum, WebhookHealthStateEnum } from './enums.ts';
import { WebhookObject } from './webhook.ts';

const WebhookHealthObject = builder.objectRef<WebhookHealth>('WebhookHealth').implement({
  description: "Health of a webhook's endpoint.",
  fields: (t) => ({
    state: t.expose('state', { type: WebhookHealthStateEnum, description: 'How the webhook is.' }),
    disabledReason: t.expose('disabled_reason', {
      type: DisabledReasonEnum,
      nullable: true,
      description: 'Why; null if `disabledAt` is.',
    }),
    disabledAt: t.expose('disabled_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was disabled; null if it is enabled or was created disabled.',
    }),
    failingSince: t.expose('failing_since', {
      type: 'DateTime',
      nullable: true,
      description: 'When attempts began to fail; null if they do not.',
    }),
    failedAttemptCount: t.exposeInt('failed_attempt_count', {
      description: 'Failed attempts in a row.',
    }),
    pausedUntil: t.expose('paused_until', {
      type: 'DateTime',
      nullable: true,
      description: 'When deliveries resume after an overload; null if not paused.',
    }),
  }),
});

builder.objectField(WebhookObject, 'receivesNotices', (t) =>
  t.boolean({
    ...foundById('Whether it gets notices; null if the key may not manage it.', findWebhookHealth),
    resolve: async ({ id }, _args, { loaders }) => (await loaders.webhookHealth.load(id))?.receives_notices,
  }),
);

builder.objectField(WebhookObject, 'health', (t) =>
  t.field({
    type: WebhookHealthObject,
    ...foundById('Health of the endpoint; null if the key may not manage the webhook.', findWebhookHealth),
    resolve: ({ id }, _args, { loaders }) => loaders.webhookHealth.load(id),
  }),
);
