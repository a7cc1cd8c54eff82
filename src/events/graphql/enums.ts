import { contractEnum } from '../../graphql/kit/enums.ts';
import { entriesOf } from '../../kernel/lib/objects.ts';
import { type WebhookDataKey, type WebhookEvent, type WebhookSource, webhookSources } from '../sources.ts';

const sources = entriesOf(webhookSources);

/** Descriptions of all sources. Object.fromEntries loses the types of keys. */
const sourceDescriptions = Object.fromEntries(
  sources.map(([source, { description }]) => [source, description]),
) as Record<WebhookSource, string>;
const eventDescriptions: Record<WebhookEvent, string> = Object.assign(
  {},
  ...sources.map(([, { meanings }]) => meanings.events),
);
const keyDescriptions: Record<WebhookDataKey, string> = Object.assign(
  {},
  ...sources.map(([, { meanings }]) => meanings.keys),
  // Keys with a meaning in each of two sources.
  {
    attachments: 'Of the message or email.',
    attendees: 'People of the chat or calendar event.',
    body: 'HTML of the email, or description of the calendar event.',
    date: 'Date of the email or tracking event.',
    message_id: 'Id of the message, or `Message-ID` header of the email.',
    subject: 'Of the message or email.',
  } satisfies Partial<Record<WebhookDataKey, string>>,
);

export const WebhookSourceEnum = contractEnum('WebhookSource', 'A family of events.', sourceDescriptions, {
  read: true,
});

export const WebhookEventEnum = contractEnum('WebhookEvent', 'An event of any source.', eventDescriptions, {
  read: true,
});

export const WebhookDataKeyEnum = contractEnum(
  'WebhookDataKey',
  'An event field that a payload can show.',
  keyDescriptions,
  { read: true },
);
