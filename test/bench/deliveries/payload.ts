/** The event that all senders deliver, and the bytes that it becomes. */
import type { SigningSecret } from '../../../src/capabilities/webhooks/signing-secret.ts';

/** The data of an event, as it is emitted to Postern. */
export const eventData = (n: number) => ({
  email_id: String(n),
  subject: 'Agenda for Thursday',
  body_plain: 'x'.repeat(200),
});

/** The mapping of the webhook, which makes of the event what {@link payloadOf} makes. */
export const mapping = [
  { name: 'n', key: 'email_id' },
  { name: 'subject', key: 'subject' },
  { name: 'body', key: 'body_plain' },
];

/** The body that is sent. */
export function payloadOf(n: number): string {
  const { email_id, subject, body_plain } = eventData(n);
  return JSON.stringify({ event: 'mail_sent', n: email_id, subject, body: body_plain });
}

/** What the peers sign with: as long as Postern's own secrets. */
export const benchSecret: SigningSecret = { key: Buffer.alloc(32, 7).toString('base64'), expiresAt: null };
