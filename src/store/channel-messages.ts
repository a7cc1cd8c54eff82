/**
 * Messages between processes. On one Postgres database: NOTIFY as `origin,message`, of which a process ignores its own. On one
 * SQLite database the processes behind one address have the primary for it, and others poll.
 */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { rowsTable, rowsText } from './json.ts';

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

export interface ChannelListener {
  onMessage(message: string): void;
  /** Called with each connection: messages may have been missed before it. */
  onConnected?(): void;
}

export interface ChannelMessage {
  readonly channel: Channel;
  readonly text: string;
}

export interface Channels {
  /** To the other processes. @param database that the messages are about */
  send(database: Database, messages: readonly ChannelMessage[]): Promise<void>;
  subscribe(channel: Channel, listener: ChannelListener): void;
  close(): Promise<void>;
}

/** The origin of a process that does not listen, such as a command. */
export const nobody = '';

export const encodeMessage = (origin: string, message = ''): string =>
  message === '' ? origin : `${origin},${message}`;

/** Sends messages with Postgres. Reaches other processes at once: a statement that writes nothing waits for no disk. */
export async function notify(database: Database, origin: string, messages: readonly ChannelMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const encoded = messages.map(({ channel, text }) => ({
    channel: channelNames[channel],
    payload: encodeMessage(origin, text),
  }));
  const rows = rowsTable('message', rowsText({ channel: 'text', payload: 'text' }, encoded));
  await sql`select pg_notify(message.channel, message.payload) from ${rows}`.execute(database);
}
