/** LISTEN on Postgres: the notifications of a database, over a connection of their own. */
import pg from 'pg';
import type { Logger } from 'pino';

/** The pause before a reconnection, so that a server that is down is not hammered. */
const reconnectMs = 1_000;

export interface ListenOptions {
  readonly channels: readonly string[];
  /** Statements to begin each connection with. */
  readonly session?: readonly string[];
  onMessage(channel: string, payload: string): void;
  /** Called with each connection: there may have been notifications while nobody listened. */
  onConnected(): void;
  readonly logger: Logger;
}

/** Listens until it is closed, and connects again when the connection is lost. */
export function listen(
  url: string,
  { channels, session = [], onMessage, onConnected, logger }: ListenOptions,
): { close(): Promise<void> } {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const reconnect = (error: unknown) => {
    if (closed || timer !== undefined) return;
    logger.warn({ err: error }, 'lost the notifications of the database, connecting again');
    client?.end().catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      connecting = connect();
    }, reconnectMs);
  };
  const connect = async () => {
    const next = new pg.Client({ connectionString: url, keepAlive: true });
    client = next;
    next.on('error', reconnect);
    next.on('end', () => reconnect(new Error('the connection ended')));
    next.on('notification', ({ channel, payload = '' }) => onMessage(channel, payload));
    try {
      await next.connect();
      await next.query([...session, ...channels.map((channel) => `listen ${channel}`)].join('; '));
      onConnected();
    } catch (error) {
      reconnect(error);
    }
  };
  let connecting = connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await connecting;
      await client?.end();
    },
  };
}
