import { contractEnum } from '../../../graphql/kit/enums.ts';
import {
  type DisabledReason,
  type triggerContexts,
  triggerIcons,
  type Webhook,
  type WebhookFormat,
  type WebhookHealthState,
  type WebhookOrder,
} from '../shapes.ts';

export const WebhookFormatEnum = contractEnum(
  'WebhookFormat',
  'Encoding of payloads.',
  {
    json: 'JSON.',
    form: 'URL-encoded form. Objects and lists are JSON text.',
  } satisfies Record<WebhookFormat, string>,
  { read: true },
);

export const WebhookTypeEnum = contractEnum(
  'WebhookType',
  'What fires a webhook.',
  {
    AUTO: 'Events of accounts, as they happen.',
    TRIGGER: 'People, from a message or a chat.',
  } satisfies Record<Webhook['type'], string>,
  { read: true },
);

export const TriggerContextEnum = contractEnum(
  'TriggerContext',
  'Where people fire a TRIGGER webhook from.',
  { MESSAGE: 'A message.', CHAT: 'A chat.' } satisfies Record<(typeof triggerContexts)[number], string>,
  { read: true },
);

export const TriggerIconEnum = contractEnum(
  'TriggerIcon',
  'Icon of a TRIGGER webhook: a component.',
  Object.fromEntries(triggerIcons.map((icon): [string, string] => [icon, `\`${icon}\`.`])),
  { read: true },
);

export const WebhookHealthStateEnum = contractEnum('WebhookHealthState', 'How a webhook is.', {
  healthy: 'Enabled and not failing.',
  failing: 'Enabled, with three or more failed attempts over two minutes.',
  disabled_by_gateway: 'Disabled as the endpoint is gone, or failed for five days.',
  disabled_by_caller: 'Disabled, or created so, by an API request.',
} satisfies Record<WebhookHealthState, string>);

export const WebhookOrderEnum = contractEnum('WebhookOrder', 'Order of a list of webhooks.', {
  created_at_asc: 'The oldest first.',
  created_at_desc: 'The newest first.',
  name_asc: 'By name, A to Z in any case. Those without a name first.',
  name_desc: 'By name, in reverse.',
} satisfies Record<WebhookOrder, string>);

export const DisabledReasonEnum = contractEnum('WebhookDisabledReason', 'Why a webhook was disabled.', {
  caller: 'An API request disabled it.',
  gone: 'The endpoint responded with 410 (Gone).',
  failing: 'Every attempt failed for five days.',
} satisfies Record<DisabledReason, string>);
