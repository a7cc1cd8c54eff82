/** Receives the messages of other processes on one Postgres database. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createTroubles, type Troubles } from '../kernel/troubles.ts';
import { type ChannelListener, type Channels, channelNames, notify } from './channel-messages.ts';
import type { DatabaseLocation } from './database.ts';
import { clientConfig, onceLate, PostgresClient, silentMs } from './postgres-client.ts';
import { postgresDefaults } from './postgres-settings.ts';

/** Spares a server that is down, in milliseconds. */
const reconnectMs = 1_000;

/** Between two signs of life, in milliseconds: nothing else shows that a connection is silent. */
const channelHeartbeatMs = 2_000;

interface ChannelsOptions {
  onSilent(): void;
  readonly logger: Logger;
  readonly troubles?: Troubles;
}

/** Listens until it is closed, and reconnects after a loss. */
export function openChannels(
  { url, directUrl = url, settings = postgresDefaults }: Extract<DatabaseLocation, { readonly kind: 'postgres' }>,
  { onSilent, logger, troubles = createTroubles(logger) }: ChannelsOptions,
): Channels {
  const trouble = troubles.of('lost the notifications of the database, connecting again', {
    level: 'warn',
    onDemand: true,
  });
  const origin = crypto.randomUUID();
  const listeners = new Map<string, ChannelListener[]>();
  const stopping = new AbortController();
  let current: PostgresClient | null = null;
  let isConnected = false;

  function receive(name: string, payload: string): void {
    const [from, message = ''] = payload.split(/,(.*)/s);
    if (from !== origin) for (const { onMessage } of listeners.get(name) ?? []) onMessage(message);
  }

  /** Runs a statement, and gives the connection up if it does not respond in time. */
  async function ask(client: PostgresClient, statement: string): Promise<void> {
    const cancel = onceLate(silentMs, () => {
      onSilent();
      client.abandon();
    });
    await client.query(statement).finally(cancel);
  }

  /** Rejects when the connection ends. */
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
      trouble.worked();
      for (const listener of [...listeners.values()].flat()) listener.onConnected?.();
      for (;;) {
        await ask(client, 'select 1');
        await sleep(channelHeartbeatMs, undefined, { signal: lost.signal, ref: false });
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
        current = new PostgresClient(clientConfig(directUrl, settings));
        await listen(current);
      } catch (error) {
        if (stopping.signal.aborted) return;
        trouble.failed(error);
      }
      // Rejects when the process stops, and then the loop ends.
      await sleep(reconnectMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    send: (database, messages) => notify(database, origin, messages),
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
