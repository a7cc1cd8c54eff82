/** LISTEN on Postgres: the notifications of a database, over a connection of their own. */
import type { Logger } from 'pino';
import { clientConfig, onceLate, PostgresClient, silentMs } from './postgres-client.ts';
import { type PostgresSettings, postgresDefaults } from './postgres-settings.ts';

/** The pause before a reconnection, so that a server that is down is not hammered. */
const reconnectMs = 1_000;

/** How often the connection is asked for a sign of life. Nothing else would tell that it is silent. */
const heartbeatMs = 2_000;

export interface ListenOptions {
  readonly channels: readonly string[];
  /** Statements to begin each connection with. */
  readonly session?: readonly string[];
  onMessage(channel: string, payload: string): void;
  /** Called with each connection: there may have been notifications while nobody listened. */
  onConnected(): void;
  /** Called when a connection is lost: nothing is heard until the next one. */
  onLost?(): void;
  /** Called when a connection has fallen silent, though nobody closed it. */
  onSilent?(): void;
  readonly logger: Logger;
}

/** Listens until it is closed, and connects again when the connection is lost or has fallen silent. */
export function listen(
  { url, settings = postgresDefaults }: { readonly url: string; readonly settings?: PostgresSettings },
  { channels, session = [], onMessage, onConnected, onLost, onSilent, logger }: ListenOptions,
): { close(): Promise<void> } {
  let closed = false;
  let client: PostgresClient | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Runs a statement. A connection that does not respond in time is given up. */
  const ask = async (asked: PostgresClient, statement: string) => {
    const cancel = onceLate(silentMs, () => {
      onSilent?.();
      asked.abandon();
    });
    await asked.query(statement).finally(cancel);
  };
  const reconnect = (lost: PostgresClient, error: unknown) => {
    if (closed || lost !== client || timer !== undefined) return;
    onLost?.();
    logger.warn({ err: error }, 'lost the notifications of the database, connecting again');
    lost.abandon();
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, reconnectMs);
  };
  const beat = async (beating: PostgresClient) => {
    while (!closed && beating === client) {
      await ask(beating, 'select 1');
      await new Promise((resolve) => {
        setTimeout(resolve, heartbeatMs).unref();
      });
    }
  };
  const connect = async () => {
    const next = new PostgresClient(clientConfig(url, settings));
    client = next;
    next.on('error', (error) => reconnect(next, error));
    next.on('end', () => reconnect(next, new Error('the connection ended')));
    next.on('notification', ({ channel, payload = '' }) => onMessage(channel, payload));
    try {
      await next.connect();
      await ask(next, [...session, ...channels.map((channel) => `listen ${channel}`)].join('; '));
      onConnected();
      await beat(next);
    } catch (error) {
      reconnect(next, error);
    }
  };
  void connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.leave();
    },
  };
}
