/** The event that benches and crash runs emit. */
import type { Emission } from '../../src/delivery/emit.ts';

export const workspaceId = 'bench-workspace------A';

const usualData = (n: number | string) => ({
  email_id: String(n),
  subject: 'Agenda for Thursday',
  body_plain: 'x'.repeat(200),
});

export const benchEmission = (
  n: number | string,
  event = 'mail_sent',
  data: Readonly<Record<string, string>> = usualData(n),
): Emission => ({ workspaceId, accountId: null, accountType: null, source: 'email', event, data });
