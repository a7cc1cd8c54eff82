import { keysOf } from '../kernel/lib/objects.ts';

export interface SourceRow<Event extends string = string, Key extends string = string> {
  /** Whether a webhook chooses its payloads' fields, or always receives all. */
  readonly mapping: 'chosen' | 'all';
  readonly description: string;
  readonly events: readonly Event[];
  readonly keys: readonly Key[];
  /** Shown in the schema. */
  readonly meanings: {
    readonly events: Readonly<Record<Event, string>>;
    readonly keys: Readonly<Record<Key, string>>;
  };
}

const source = <Event extends string, Key extends string>({
  mapping,
  description,
  ...meanings
}: Pick<SourceRow, 'mapping' | 'description'> & SourceRow<Event, Key>['meanings']): SourceRow<Event, Key> => ({
  mapping,
  description,
  events: keysOf(meanings.events),
  keys: keysOf(meanings.keys),
  meanings,
});

const account_id = 'The connected account.';
const account_type = 'As in `AccountType`.';
const webhook_name = 'Name of the webhook.';

/**
 * The contract's sources with their events ("Events") and payload keys (endpoint 4), in its order. Validation, GraphQL
 * enums, the OpenAPI document and the delivery engine derive from this table.
 */
export const webhookSources = {
  messaging: source({
    mapping: 'chosen',
    description: 'Messages and chats.',
    events: {
      message_received: 'A message was received.',
      message_read: 'A message was read.',
      message_reaction: 'Someone reacted to a message.',
      message_edited: 'A message was edited.',
      message_deleted: 'A message was deleted.',
      message_delivered: 'A message was delivered.',
    },
    keys: {
      account_id,
      account_type,
      account_info: 'Who the account is at its provider.',
      chat_id: 'Id of the chat.',
      timestamp: 'When the event happened.',
      webhook_name,
      message_id: 'Id of the message.',
      message: 'Text of the message.',
      reaction: 'The reaction.',
      reaction_sender: 'Who reacted.',
      read_by: 'Who has read the message.',
      sender: 'Sender of the message.',
      is_sender: 'Whether the account sent the message.',
      attendees: 'Participants of the chat.',
      attachments: 'Attachments of the message.',
      subject: 'Subject of the message.',
      provider_chat_id: 'Id at the provider.',
      provider_message_id: 'Id at the provider.',
      is_event: 'Whether the message reports an event in the chat.',
      chat_pinned: 'Whether the chat is pinned.',
      quoted: 'The message that this one quotes.',
      is_forwarded: 'Whether the message was forwarded.',
      chat_content_type: 'Of the chat.',
      message_type: 'Of the message.',
      is_group: 'Whether the chat is a group.',
      folder: 'Of the message.',
    },
  }),
  users: source({
    mapping: 'chosen',
    description: 'New relations.',
    events: {
      new_relation: 'The account has a new relation.',
    },
    keys: {
      account_id,
      account_type,
      webhook_name,
      timestamp: 'When the event happened.',
      user_provider_id: 'Id at the provider.',
      user_full_name: 'Name of the person.',
      user_public_identifier: 'Id in the URL of the profile.',
      user_profile_url: 'Profile of the person.',
      user_picture_url: 'Picture of the person.',
    },
  }),
  account_status: source({
    mapping: 'all',
    description: 'Status changes of connected accounts.',
    events: {
      creation_success: 'An account was connected.',
      creation_fail: 'An account could not be connected.',
      deleted: 'An account was deleted.',
      reconnected: 'An account was reconnected.',
      sync_success: 'The first synchronization of an account is complete.',
      stopped: 'An account was disconnected.',
      ok: 'An account is working.',
      connecting: 'An account is connecting.',
      error: 'An account has an error.',
      credentials: "An account's credentials have expired.",
      permissions: 'An account lacks a permission.',
    },
    keys: {},
  }),
  email: source({
    mapping: 'chosen',
    description: 'Emails sent, received and moved.',
    events: {
      mail_sent: 'An email was sent.',
      mail_received: 'An email was received.',
      mail_moved: 'An email was moved to another folder.',
    },
    keys: {
      email_id: 'Id of the email.',
      account_id,
      webhook_name,
      date: 'Date of the email.',
      from_attendee: 'Sender of the email.',
      to_attendees: 'Recipients of the email.',
      cc_attendees: 'CC recipients of the email.',
      bcc_attendees: 'BCC recipients of the email.',
      reply_to_attendees: 'Recipients of replies to the email.',
      subject: 'Subject of the email.',
      body: 'HTML of the email.',
      body_plain: 'Plain text of the email.',
      message_id: '`Message-ID` header of the email.',
      provider_id: 'Id of the email at its provider.',
      tracking_id: 'Of the email.',
      read_date: 'When the email was read.',
      is_complete: 'Whether the email was retrieved completely.',
      in_reply_to: 'The email that this one replies to.',
      has_attachments: 'Whether the email has attachments.',
      attachments: 'Attachments of the email.',
      folders: 'Of the email.',
      role: "Role of the email's folder, such as `inbox`.",
      origin: 'Where the email was sent from.',
      thread_id: 'Thread of the email.',
      deprecated_id: 'Former id of the email.',
    },
  }),
  email_tracking: source({
    mapping: 'chosen',
    description: 'Opens and link clicks of tracked emails.',
    events: {
      mail_opened: 'A tracked email was opened.',
      mail_link_clicked: 'A link in a tracked email was clicked.',
    },
    keys: {
      event_id: 'Id of the tracking event.',
      tracking_id: 'Of the email.',
      type: 'Type of the tracking event.',
      date: 'When the event happened.',
      email_id: 'Id of the email.',
      account_id,
      ip: 'Of the client that opened the email or link.',
      user_agent: 'Of the client that opened the email or link.',
      url: 'URL of the link that was clicked.',
      label: 'Of the tracked email.',
      custom_domain: 'Domain of the tracking links.',
    },
  }),
  calendar_event: source({
    mapping: 'chosen',
    description: 'Calendar events.',
    events: {
      calendar_event_created: 'A calendar event was created.',
      calendar_event_updated: 'A calendar event was updated.',
      calendar_event_deleted: 'A calendar event was deleted.',
    },
    keys: {
      account_id,
      account_type,
      id: 'Id of the calendar event.',
      ical_uid: 'UID of the calendar event.',
      master_event_id: 'The recurring event that this is an instance of.',
      calendar_id: 'Id of the calendar.',
      created_at: 'Of the calendar event.',
      updated_at: 'Of the calendar event.',
      title: 'Of the calendar event.',
      body: 'Description of the calendar event.',
      location: 'Of the calendar event.',
      is_cancelled: 'Whether the calendar event is canceled.',
      is_all_day: 'Whether the calendar event lasts all day.',
      is_attendees_list_hidden: 'Whether attendees cannot see one another.',
      attendees: 'Attendees of the calendar event.',
      start: 'When the calendar event starts.',
      end: 'When the calendar event ends.',
      recurrence: 'Of the calendar event.',
      organizer: 'Of the calendar event.',
      conference_id: 'Id of the conference.',
      conference: 'Of the calendar event.',
      visibility: 'Who can see the calendar event.',
      transparency: 'Whether the calendar event blocks time.',
      event_type: 'Of the calendar event.',
      color: 'Of the calendar event.',
    },
  }),
};

export type WebhookSource = keyof typeof webhookSources;
export type WebhookEvent = (typeof webhookSources)[WebhookSource]['events'][number];
export type WebhookDataKey = (typeof webhookSources)[WebhookSource]['keys'][number];

export const webhookSourceNames = keysOf(webhookSources);

export const webhookEvents = webhookSourceNames.flatMap(
  (source): readonly WebhookEvent[] => webhookSources[source].events,
);

/** Without duplicates. */
export const webhookDataKeys = [
  ...new Set(webhookSourceNames.flatMap((source): readonly WebhookDataKey[] => webhookSources[source].keys)),
];

/** No two sources have an event of the same name. */
export const sourceByEvent: Readonly<Record<string, WebhookSource>> = Object.fromEntries(
  webhookSourceNames.flatMap((source) => webhookSources[source].events.map((event) => [event, source])),
);

/**
 * The source of a webhook with these events, which the contract's read form omits. Null without events (TRIGGER) and
 * for unknown ones.
 */
export const sourceOfEvents = ([first = '']: readonly string[]): WebhookSource | null =>
  Object.hasOwn(sourceByEvent, first) ? (sourceByEvent[first] ?? null) : null;
