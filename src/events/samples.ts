/**
 * Realistic data for documentation, test events and sandbox accounts. The contract specifies keys; the values are
 * Postern's.
 */
import { defaultMapping, payloadFields } from './event.ts';
import { type WebhookEvent, type WebhookSource, webhookSources } from './sources.ts';

type Data = Readonly<Record<string, unknown>>;

const person = {
  name: 'Amara Lindqvist',
  provider_id: 'ACoAAB1x7JkBqL5n2vS',
  profile_url: 'https://pnet.example/in/amara-lindqvist',
};
const self = { name: 'Jonas Weber', provider_id: 'ACoAAC9y2MzDsN7p4xU' };
const mailPerson = { display_name: 'Amara Lindqvist', identifier: 'amara@lindqvist.example' };
const mailSelf = { display_name: 'Jonas Weber', identifier: 'jonas@weber.example' };

const message = (at: string): Data => ({
  account_info: { user_id: self.provider_id, feature: 'classic' },
  chat_id: 'Vd1xqk9aTb2mZ0pLr8sHjQ',
  timestamp: at,
  message_id: 'Hc7n3wYfS4u6eKt1oXbGiA',
  message: 'Hi Jonas, does Thursday at ten still work for you?',
  sender: person,
  is_sender: false,
  attendees: [person, self],
  attachments: [
    {
      id: 'att_1',
      type: 'file',
      file_name: 'agenda.pdf',
      mimetype: 'application/pdf',
      file_size: 48_213,
      unavailable: false,
    },
  ],
  subject: null,
  provider_chat_id: '2-OWNjMTk4YTctNTk3NS00',
  provider_message_id: '2-MTczMjA5NjAwMDAwMGI0',
  is_event: false,
  chat_pinned: false,
  quoted: null,
  is_forwarded: false,
  chat_content_type: null,
  message_type: 'MESSAGE',
  is_group: false,
  folder: ['INBOX'],
});

const mail = (at: string): Data => ({
  email_id: 'Kq2rW8yUv5tB3nM7cXzLpw',
  date: at,
  from_attendee: mailPerson,
  to_attendees: [mailSelf],
  cc_attendees: [],
  bcc_attendees: [],
  reply_to_attendees: [mailPerson],
  subject: 'Agenda for Thursday',
  body: '<p>Hi Jonas,</p><p>the agenda is attached.</p>',
  body_plain: 'Hi Jonas,\n\nthe agenda is attached.',
  message_id: '<20261120101500.4f1c@lindqvist.example>',
  provider_id: '18c2f0a1b7e94d35',
  tracking_id: null,
  read_date: null,
  is_complete: true,
  in_reply_to: null,
  has_attachments: true,
  attachments: [{ id: 'att_1', name: 'agenda.pdf', mime: 'application/pdf', size: 48_213 }],
  folders: ['INBOX'],
  role: 'inbox',
  origin: 'external',
  thread_id: '18c2f0a1b7e94d00',
  deprecated_id: 'b3JpZ2luYWwtbWFpbC1pZA',
});

const tracking = (at: string): Data => ({
  event_id: 'Tn4kL9sDq1wE6rYu2iPaFg',
  tracking_id: 'Zx8cV3bNm5aS7dFg1hJkLQ',
  type: 'mail_opened',
  date: at,
  email_id: 'Kq2rW8yUv5tB3nM7cXzLpw',
  ip: '198.51.100.23',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
  label: 'november-newsletter',
  custom_domain: null,
});

const calendarEvent = (at: string): Data => ({
  id: 'Ev5tR2yUi8oP1aSdFg3hJA',
  ical_uid: '7f9d1c52@calendar.example',
  master_event_id: null,
  calendar_id: 'jonas@weber.example',
  created_at: at,
  updated_at: at,
  title: 'Project kick-off',
  body: 'Goals, people, dates.',
  location: 'Room 2',
  is_cancelled: false,
  is_all_day: false,
  is_attendees_list_hidden: false,
  attendees: [{ email: mailPerson.identifier, display_name: mailPerson.display_name, status: 'accepted' }],
  start: { date_time: '2026-11-26T10:00:00', time_zone: 'Europe/Berlin' },
  end: { date_time: '2026-11-26T11:00:00', time_zone: 'Europe/Berlin' },
  recurrence: null,
  organizer: { email: mailSelf.identifier, display_name: mailSelf.display_name },
  conference_id: 'abc-defg-hij',
  conference: { provider: 'video', url: 'https://meet.example/abc-defg-hij' },
  visibility: 'default',
  transparency: 'opaque',
  event_type: 'default',
  color: '#3f51b5',
});

/** Data that all events of a source have. The time is ISO 8601 text. */
const commonSamples: Readonly<Record<WebhookSource, (at: string) => Data>> = {
  messaging: message,
  users: (at) => ({
    timestamp: at,
    user_provider_id: person.provider_id,
    user_full_name: person.name,
    user_public_identifier: 'amara-lindqvist',
    user_profile_url: person.profile_url,
    user_picture_url: 'https://media.pnet.example/amara-lindqvist.jpg',
  }),
  account_status: (at) => ({ timestamp: at }),
  email: mail,
  email_tracking: tracking,
  calendar_event: calendarEvent,
};

const particular: Readonly<Partial<Record<WebhookEvent, Data>>> = {
  message_read: { read_by: [person] },
  message_reaction: { reaction: '👍', reaction_sender: person },
  message_edited: { message: 'Hi Jonas, does Friday at ten work for you?' },
  message_deleted: { message: null, attachments: [] },
  message_delivered: { sender: self, is_sender: true },
  mail_sent: { from_attendee: mailSelf, to_attendees: [mailPerson], role: 'sent', folders: ['SENT'], origin: 'api' },
  mail_moved: { role: 'archive', folders: ['ARCHIVE'] },
  mail_link_clicked: { type: 'mail_link_clicked', url: 'https://weber.example/offer' },
  calendar_event_deleted: { is_cancelled: true },
};

export function sampleData(source: WebhookSource, event: WebhookEvent, at: Date): Record<string, unknown> {
  return { ...commonSamples[source](at.toISOString()), ...particular[event] };
}

const sampleAccountType: Readonly<Record<WebhookSource, string>> = {
  messaging: 'PNET',
  users: 'PNET',
  account_status: 'PNET',
  email: 'MAIL',
  email_tracking: 'MAIL',
  calendar_event: 'SEARCHMAIL_CALENDAR',
};

function samplePayload(source: WebhookSource, event: WebhookEvent, at: Date): Record<string, unknown> {
  const account = { accountId: 'w8Xk2mN5pQ7rS1tU3vY6zA', accountType: sampleAccountType[source] };
  const webhook = { name: 'My webhook', data: defaultMapping(source) };
  return Object.fromEntries(payloadFields({ ...account, source, event, data: sampleData(source, event, at) }, webhook));
}

/** In the contract's order. */
export const samplesOf = (source: WebhookSource, at: Date) =>
  webhookSources[source].events.map((event: WebhookEvent) => ({
    source,
    event,
    data: sampleData(source, event, at),
    payload: samplePayload(source, event, at),
  }));
