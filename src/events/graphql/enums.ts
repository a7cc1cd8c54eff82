import { contractEnum, contractEnums } from '../../graphql/kit/enums.ts';
import { eventDescriptions, keyDescriptions, sourceDescriptions } from '../descriptions.ts';

export const { output: WebhookSourceEnum, input: KnownWebhookSourceEnum } = contractEnums(
  'WebhookSource',
  'A family of account events.',
  sourceDescriptions,
);

export const { output: WebhookEventEnum, input: KnownWebhookEventEnum } = contractEnums(
  'WebhookEvent',
  'An account event of any source.',
  eventDescriptions,
);

export const WebhookDataKeyEnum = contractEnum(
  'WebhookDataKey',
  'An event field of any source that a payload can include.',
  keyDescriptions,
  { read: true },
);
