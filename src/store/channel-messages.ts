/** Messages between the processes on one Postgres database: NOTIFY as `origin,message`. A process ignores its own. */

/** Gateways of other versions know these names too. */
export const channelNames = {
  revocation: 'postern_key_revoked',
  work: 'postern_work',
  /** Ids of changed deliveries. */
  updates: 'postern_updates',
  /** Ids of stored events; none where some were left out. */
  events: 'postern_events',
} as const;

export type Channel = keyof typeof channelNames;

/** The origin of a process that does not listen, such as a command. */
export const nobody = '';

export const encodeMessage = (origin: string, message = ''): string =>
  message === '' ? origin : `${origin},${message}`;
