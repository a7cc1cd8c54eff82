/** A connection to Postgres that can be given up. pg waits for the other side, and one that fell silent never responds. */
import { Socket } from 'node:net';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import type { PostgresSettings } from './postgres-settings.ts';

/** How long a server may take for next to nothing before it counts as silent, in milliseconds. */
export const silentMs = 3_000;

/** How long a connection that is closed in order may take, in milliseconds. */
export const goodbyeMs = 1_000;

export class PostgresClient extends pg.Client {
  /** Whether the statement that its pool begins a connection with has been run. */
  hasSession = false;
  readonly #socket: Socket;
  readonly #unusable: Error | null;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    const { read, unusable } = readFiles(config);
    super({ ...read, stream: () => socket });
    this.#socket = socket;
    this.#unusable = unusable;
    // pg emits 'error' when a connection breaks, and an event without a listener would end the process. There is nothing to
    // do: what waits for the connection fails, and what comes after it gets another one.
    this.on('error', () => undefined);
  }

  /** Rejects if a file of the connection string cannot be read: the pool would not survive a constructor that throws. */
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const unusable = this.#unusable;
    if (callback === undefined) return unusable === null ? super.connect() : Promise.reject(unusable);
    if (unusable === null) super.connect(callback);
    else process.nextTick(callback, unusable);
    return undefined;
  }

  /** Closes the connection in order, or after a second without the other side. */
  async leave(): Promise<void> {
    const cancel = onceLate(goodbyeMs, () => this.abandon());
    await this.end();
    cancel();
  }

  /** Closes the connection without waiting for the other side. What waits for it fails. */
  abandon(): void {
    this.#socket.destroy();
  }
}

/**
 * The options with the certificates that the connection string names, which are read for each connection: they are renewed
 * while the process lives, and may be away while they are.
 */
function readFiles({ connectionString, ...others }: pg.ClientConfig): {
  readonly read: pg.ClientConfig;
  readonly unusable: Error | null;
} {
  if (connectionString === undefined) return { read: others, unusable: null };
  try {
    return { read: { ...others, ...parseIntoClientConfig(connectionString) }, unusable: null };
  } catch (error) {
    return { read: others, unusable: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** What each connection of the process is opened with. */
export const clientConfig = (url: string, settings: PostgresSettings): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: settings.connectTimeoutMs,
  statement_timeout: settings.statementTimeoutMs,
  lock_timeout: settings.lockTimeoutMs,
  idle_in_transaction_session_timeout: settings.idleTransactionTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: settings.keepAliveMs,
});

/**
 * Calls `late` when the time is up. A process that was busy meanwhile reads first what has arrived.
 * @param milliseconds 0 sets no limit
 * @returns cancels the call
 */
export function onceLate(milliseconds: number, late: () => void): () => void {
  if (milliseconds === 0) return () => undefined;
  let cancelled = false;
  const timer = setTimeout(() => {
    // Timers come before the sockets in a round of the event loop, and this after them.
    setImmediate(() => {
      if (!cancelled) late();
    });
  }, milliseconds);
  return () => {
    cancelled = true;
    clearTimeout(timer);
  };
}
