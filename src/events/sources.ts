import { keysOf } from '../kernel/lib/keys-of.ts';

export interface SourceRow {
  /** Whether a webhook chooses its payloads' fields, or always receives all. */
  readonly mapping: 'chosen' | 'all';
  readonly events: readonly string[];
  readonly keys: readonly string[];
}

/**
 * The contract's sources with their events ("Events") and payload keys (endpoint 4). Validation, GraphQL enums, the
 * OpenAPI document and the delivery engine derive from this table.
 */
export const webhookSources = {
  messaging: {
    mapping: 'chosen',
    events: [
      'message_received',
      'message_read',
      'message_reaction',
      'message_edited',
      'message_deleted',
      'message_delivered',
    ],
    keys: [
      'account_id',
      'account_type',
      'account_info',
      'chat_id',
      'timestamp',
      'webhook_name',
      'message_id',
      'message',
      'reaction',
      'reaction_sender',
      'read_by',
      'sender',
      'is_sender',
      'attendees',
      'attachments',
      'subject',
      'provider_chat_id',
      'provider_message_id',
      'is_event',
      'chat_pinned',
      'quoted',
      'is_forwarded',
      'chat_content_type',
      'message_type',
      'is_group',
      'folder',
    ],
  },
  users: {
    mapping: 'chosen',
    events: ['new_relation'],
    keys: [
      'account_id',
      'account_type',
      'webhook_name',
      'timestamp',
      'user_provider_id',
      'user_full_name',
      'user_public_identifier',
      'user_profile_url',
      'user_picture_url',
    ],
  },
  account_status: {
    mapping: 'all',
    events: [
      'creation_success',
      'creation_fail',
      'deleted',
      'reconnected',
      'sync_success',
      'stopped',
      'ok',
      'connecting',
      'error',
      'credentials',
      'permissions',
    ],
    keys: [],
  },
  email: {
    mapping: 'chosen',
    events: ['mail_sent', 'mail_received', 'mail_moved'],
    keys: [
      'email_id',
      'account_id',
      'webhook_name',
      'date',
      'from_attendee',
      'to_attendees',
      'cc_attendees',
      'bcc_attendees',
      'reply_to_attendees',
      'subject',
      'body',
      'body_plain',
      'message_id',
      'provider_id',
      'tracking_id',
      'read_date',
      'is_complete',
      'in_reply_to',
      'has_attachments',
      'attachments',
      'folders',
      'role',
      'origin',
      'thread_id',
      'deprecated_id',
    ],
  },
  email_tracking: {
    mapping: 'chosen',
    events: ['mail_opened', 'mail_link_clicked'],
    keys: [
      'event_id',
      'tracking_id',
      'type',
      'date',
      'email_id',
      'account_id',
      'ip',
      'user_agent',
      'url',
      'label',
      'custom_domain',
    ],
  },
  calendar_event: {
    mapping: 'chosen',
    events: ['calendar_event_created', 'calendar_event_updated', 'calendar_event_deleted'],
    keys: [
      'account_id',
      'account_type',
      'id',
      'ical_uid',
      'master_event_id',
      'calendar_id',
      'created_at',
      'updated_at',
      'title',
      'body',
      'location',
      'is_cancelled',
      'is_all_day',
      'is_attendees_list_hidden',
      'attendees',
      'start',
      'end',
      'recurrence',
      'organizer',
      'conference_id',
      'conference',
      'visibility',
      'transparency',
      'event_type',
      'color',
    ],
  },
} as const satisfies Record<string, SourceRow>;

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

/**
 * The source of a webhook with these events, which the contract's read form omits. Null without events (TRIGGER) and
 * for unknown ones.
 */
export function sourceOfEvents([first = '']: readonly string[]): WebhookSource | null {
  const emits = ({ events }: SourceRow) => events.includes(first);
  return webhookSourceNames.find((source) => emits(webhookSources[source])) ?? null;
}
