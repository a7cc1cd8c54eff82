/** How the destination of a webhook is doing. */
import { builder } from '../../graphql/builder.ts';
import { contractEnum } from '../../graphql/enums.ts';
import { disabledReasons, type WebhookHealth } from '../shapes.ts';
import { WebhookInterface } from './webhook.ts';

const DisabledReasonEnum = contractEnum('WebhookDisabledReason', 'Why a webhook is disabled.', disabledReasons);

const WebhookHealthType = builder.objectRef<WebhookHealth>('WebhookHealth').implement({
  description: 'How the endpoint of a webhook is doing.',
  fields: (t) => ({
    disabledReason: t.expose('disabled_reason', {
      type: DisabledReasonEnum,
      nullable: true,
      description: 'Why it is disabled; null where it is not, or was made so.',
    }),
    disabledAt: t.expose('disabled_at', { type: 'DateTime', nullable: true, description: 'Since when.' }),
    failingSince: t.expose('failing_since', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it has answered nothing but failures. After five days it is disabled.',
    }),
    pausedUntil: t.expose('paused_until', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when nothing is sent to it, as it asked for less.',
    }),
  }),
});

builder.interfaceField(WebhookInterface, 'health', (t) =>
  t.field({
    type: WebhookHealthType,
    nullable: true,
    description: 'How its endpoint is doing. Embedded backend only.',
    resolve: ({ id }, _args, { loaders }) => loaders.webhookHealth.load(id),
  }),
);
