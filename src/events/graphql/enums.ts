import { contractEnum } from '../../graphql/enums.ts';
import { eventDescriptions, keyDescriptions, sourceDescriptions } from '../descriptions.ts';

export const WebhookSourceEnum = contractEnum('WebhookSource', 'A family of account events.', sourceDescriptions, {
  read: true,
});

export const WebhookEventEnum = contractEnum('WebhookEvent', 'An account event of any source.', eventDescriptions, {
  read: true,
});

export const WebhookDataKeyEnum = contractEnum(
  'WebhookDataKey',
  'An event field of any source that a payload can include.',
  keyDescriptions,
  { read: true },
);
