import { vocabulary } from '../../graphql/enums.ts';
import { eventDescriptions, keyDescriptions, sourceDescriptions } from '../descriptions.ts';
import { type triggerContexts, triggerIcons, type WebhookFormat } from '../shapes.ts';

export const WebhookSourceEnum = vocabulary('WebhookSource', 'A family of account events.', sourceDescriptions, {
  read: true,
});

export const WebhookEventEnum = vocabulary('WebhookEvent', 'An account event, of any source.', eventDescriptions, {
  read: true,
});

export const WebhookDataKeyEnum = vocabulary(
  'WebhookDataKey',
  'A field of an event that a payload can have, of any source.',
  keyDescriptions,
  { read: true },
);

export const WebhookFormatEnum = vocabulary(
  'WebhookFormat',
  'How the payload of a delivery is encoded.',
  {
    json: 'As JSON.',
    form: 'As application/x-www-form-urlencoded: scalars as text, objects and lists as JSON text.',
  } satisfies Record<WebhookFormat, string>,
  { read: true },
);

export const TriggerContextEnum = vocabulary(
  'TriggerContext',
  'Where a TRIGGER webhook is fired from.',
  { MESSAGE: 'From a message.', CHAT: 'From a chat.' } satisfies Record<(typeof triggerContexts)[number], string>,
  { read: true },
);

export const TriggerIconEnum = vocabulary(
  'TriggerIcon',
  'Icon of a TRIGGER webhook. Clients look components up by these names: they are spelt as the contract does.',
  Object.fromEntries(triggerIcons.map((icon) => [icon, `The component \`${icon}\`.`])) as Record<
    (typeof triggerIcons)[number],
    string
  >,
  { read: true, verbatim: true },
);
