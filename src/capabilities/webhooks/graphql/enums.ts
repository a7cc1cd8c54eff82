import { contractEnum, contractEnums } from '../../../graphql/kit/enums.ts';
import { type DisabledReason, type triggerContexts, triggerIcons, type WebhookFormat } from '../shapes.ts';

export const { output: WebhookFormatEnum, input: KnownWebhookFormatEnum } = contractEnums(
  'WebhookFormat',
  'Encoding of payloads.',
  {
    json: 'JSON.',
    form: 'URL-encoded form (`application/x-www-form-urlencoded`). Scalars are text; objects and lists are JSON text.',
  } satisfies Record<WebhookFormat, string>,
);

export const { output: TriggerContextEnum, input: KnownTriggerContextEnum } = contractEnums(
  'TriggerContext',
  'Where people fire a TRIGGER webhook from.',
  { MESSAGE: 'A message.', CHAT: 'A chat.' } satisfies Record<(typeof triggerContexts)[number], string>,
);

export const { output: TriggerIconEnum, input: KnownTriggerIconEnum } = contractEnums(
  'TriggerIcon',
  'Icon of a TRIGGER webhook. Clients look up components by these names, so they keep their original case.',
  Object.fromEntries(triggerIcons.map((icon): [string, string] => [icon, `The component \`${icon}\`.`])),
  { verbatim: true },
);

export const DisabledReasonEnum = contractEnum('WebhookDisabledReason', 'Why a webhook was disabled.', {
  caller: 'An API request disabled the webhook.',
  gone: 'The endpoint responded with the status 410 (Gone).',
  failing: 'Every delivery attempt failed for five days.',
} satisfies Record<DisabledReason, string>);
