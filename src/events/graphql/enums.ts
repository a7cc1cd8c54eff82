import { contractEnum } from '../../graphql/enums.ts';
import { eventDescriptions, keyDescriptions, sourceDescriptions } from '../descriptions.ts';

export const WebhookSourceEnum = contractEnum('WebhookSource', 'A family of account events.', sourceDescriptions, {
  read: true,
});

export const WebhookEventEnum = contractEnum('WebhookEvent', 'An account event, of any source.', eventDescriptions, {
  read: true,
});

export const WebhookDataKeyEnum = contractEnum(
  'WebhookDataKey',
  'A field of an event that a payload can have, of any source.',
  keyDescriptions,
  { read: true },
);
