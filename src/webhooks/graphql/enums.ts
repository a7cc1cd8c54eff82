import { contractEnum } from '../../graphql/enums.ts';
import { type triggerContexts, triggerIcons, type WebhookFormat } from '../shapes.ts';

export const WebhookFormatEnum = contractEnum(
  'WebhookFormat',
  'How the payload of a delivery is encoded.',
  {
    json: 'As JSON.',
    form: 'As application/x-www-form-urlencoded: scalars as text, objects and lists as JSON text.',
  } satisfies Record<WebhookFormat, string>,
  { read: true },
);

export const TriggerContextEnum = contractEnum(
  'TriggerContext',
  'Where a TRIGGER webhook is fired from.',
  { MESSAGE: 'From a message.', CHAT: 'From a chat.' } satisfies Record<(typeof triggerContexts)[number], string>,
  { read: true },
);

export const TriggerIconEnum = contractEnum(
  'TriggerIcon',
  'Icon of a TRIGGER webhook. Clients look components up by these names: they are spelt as the contract does.',
  Object.fromEntries(triggerIcons.map((icon) => [icon, `The component \`${icon}\`.`])) as Record<
    (typeof triggerIcons)[number],
    string
  >,
  { read: true, verbatim: true },
);
