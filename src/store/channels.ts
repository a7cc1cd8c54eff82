/**
 * Messages between the processes that share a Postgres database: NOTIFY, and one connection of each process that listens.
 * A message is the process that sent it and what it says, with a comma between; its own a process does not hear.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { clientConfig, onceLate, PostgresClient, silentMs } from './postgres-client.ts';
import { type PostgresSettings, postgresDefaults } from './postgres-settings.ts';

/** The names of the channels in Postgres. Gateways of other versions know them too. */
export const channelNames = {
  /** An API key was revoked. */
  revocation: 'postern_key_revoked',
  /** Deliveries became due. */
  work: 'postern_work',
  /** What is claimed for webhooks is no longer to be sent: their ids. */
  withdrawn: 'postern_withdrawn',
  /** Deliveries changed: their ids. */
  updates: 'postern_updates',
} as const;

export type Channel = keyof typeof channelNames;

export interface ChannelListener {
  onMessage(message: string): void;
  /** Called with each connection: there may have been messages while nobody listened. */
  onConnected?(): void;
}

export interface Channels {
  /** The sender of this process's messages. */
  readonly origin: string;
  subscribe(channel: Channel, listener: ChannelListener): void;
  close(): Promise<void>;
}

/** A process that listens to nothing, such as a command, is no sender that anybody needs to know. */
export const nobody = '';

export const messageOf = (origin: string, message = ''): string => (message === '' ? origin : `${origin},${message}`);

/** The pause before a reconnection, in milliseconds, so that a server that is down is not hammered. */
const reconnectMs = 1_000;

/** How often the connection is asked for a sign of life, in milliseconds. Nothing else would tell that it is silent. */
const heartbeatMs = 2_000;

export interface ChannelsOptions {
  /** Called when the connection has fallen silent, though nobody closed it. */
  onSilent(): void;
  readonly logger: Logger;
}

/** Listens until it is closed, and connects again when the connection is lost, or cannot be made. */
export function openChannels(
  { url, settings = postgresDefaults }: { readonly url: string; readonly settings?: PostgresSettings },
  { onSilent, logger }: ChannelsOptions,
): Channels {
  const origin = crypto.randomUUID();
  const listeners = new Map<string, ChannelListener[]>();
  const stopping = new AbortController();
  let current: PostgresClient | null = null;
  let isConnected = false;

  function receive(name: string, payload: string): void {
    const [from, message = ''] = payload.split(/,(.*)/s);
    if (from !== origin) for (const { onMessage } of listeners.get(name) ?? []) onMessage(message);
  }

  /** Runs a statement. A connection that does not respond in time is given up. */
  async function ask(client: PostgresClient, statement: string): Promise<void> {
    const cancel = onceLate(silentMs, () => {
      onSilent();
      client.abandon();
    });
    await client.query(statement).finally(cancel);
  }

  /** Listens over one connection. It rejects when that ends. */
  async function listen(client: PostgresClient): Promise<never> {
    const lost = new AbortController();
    client.on('error', (error) => lost.abort(error));
    client.on('end', () => lost.abort(new Error('the connection ended')));
    client.on('notification', ({ channel, payload = '' }) => receive(channel, payload));
    try {
      await client.connect();
      await ask(
        client,
        Object.values(channelNames)
          .map((name) => `listen ${name}`)
          .join('; '),
      );
      isConnected = true;
      for (const listener of [...listeners.values()].flat()) listener.onConnected?.();
      for (;;) {
        await ask(client, 'select 1');
        await sleep(heartbeatMs, undefined, { signal: lost.signal, ref: false });
      }
    } catch (error) {
      throw lost.signal.aborted ? lost.signal.reason : error;
    } finally {
      isConnected = false;
      client.abandon();
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        current = new PostgresClient(clientConfig(url, settings));
        await listen(current);
      } catch (error) {
        if (stopping.signal.aborted) return;
        logger.warn({ err: error }, 'lost the notifications of the database, connecting again');
      }
      // Rejects when the process stops, and then the loop ends.
      await sleep(reconnectMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    origin,
    subscribe(channel, listener) {
      const name = channelNames[channel];
      listeners.set(name, [...(listeners.get(name) ?? []), listener]);
      if (isConnected) listener.onConnected?.();
    },
    async close() {
      stopping.abort();
      await current?.leave();
      await running;
    },
  };
}
