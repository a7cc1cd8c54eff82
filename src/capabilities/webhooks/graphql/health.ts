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
      description: 'Why the webhook was disabled; null if it is enabled, or was created disabled.',
    }),
    disabledAt: t.expose('disabled_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the webhook was disabled; null if it is enabled, or was created disabled.',
    }),
    failingSince: t.expose('failing_since', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the first of the failed attempts was; null unless the webhook is failing, or was when it was disabled. After five days of failures, the webhook is disabled.',
    }),
    failedAttemptCount: t.exposeInt('failed_attempt_count', {
      description: 'Number of attempts that failed in a row; 0 after one that succeeded.',
    }),
    pausedUntil: t.expose('paused_until', {
      type: 'DateTime',
      nullable: true,
      description: 'When deliveries resume after the endpoint reported overload; null if they are not paused.',
    }),
  }),
});

builder.objectField(WebhookObject, 'receivesNotices', (t) =>
  t.boolean({
    ...foundById(
      'Whether the webhook is notified when the gateway disables another webhook of the workspace; null if the API key may not manage the webhook.',
      findWebhookHealth,
    ),
    resolve: async ({ id }, _args, { loaders }) => (await loaders.webhookHealth.load(id))?.receives_notices,
  }),
);

builder.objectField(WebhookObject, 'health', (t) =>
  t.field({
    type: WebhookHealthObject,
    ...foundById(
      "Health of the webhook's endpoint; null if the API key may not manage the webhook.",
      findWebhookHealth,
    ),
    resolve: ({ id }, _args, { loaders }) => loaders.webhookHealth.load(id),
  }),
);
