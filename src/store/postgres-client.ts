/** A connection to Postgres that can be abandoned: pg would wait for a silent server for ever. */
import { Socket } from 'node:net';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { toError } from '../kernel/lib/to-error.ts';
import type { PostgresSettings } from './postgres-settings.ts';

/** Time for a trivial statement, before the server counts as silent, in milliseconds. */
export const silentMs = 3_000;

/** Time for an orderly close, in milliseconds. */
export const goodbyeMs = 1_000;

export class PostgresClient extends pg.Client {
  /** Whether the pool's first statement has been run. */
  hasSession = false;
  readonly #socket: Socket;
  readonly #unusable: Error | null;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    const { read, unusable } = readFiles(config);
    super({ ...read, stream: () => socket });
    this.#socket = socket;
    this.#unusable = unusable;
    // pg emits 'error' when a connection breaks; without a listener that would end the process. Pending statements fail anyway.
    this.on('error', () => undefined);
  }

  /** Rejects if a file of the connection string is unreadable: the pool would not survive a throwing constructor. */
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const unusable = this.#unusable;
    if (callback === undefined) return unusable === null ? super.connect() : Promise.reject(unusable);
    if (unusable === null) super.connect(callback);
    else process.nextTick(callback, unusable);
    return undefined;
  }

  /** Closes in order, or after {@link goodbyeMs} without the other side. */
  async leave(): Promise<void> {
    const cancel = onceLate(goodbyeMs, () => this.abandon());
    await this.end();
    cancel();
  }

  /** What is sent until the next turn of the event loop leaves in one packet. */
  writeTogether(): void {
    // With TLS, it is another than the socket.
    const { stream } = this.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  /** Closes without the other side; pending statements fail. */
  abandon(): void {
    this.#socket.destroy();
  }
}

/**
 * pg takes these modes for `verify-full`, and warns on standard error that it will not do so for ever. Here it does: the
 * gateway keeps the stricter meaning, unless `uselibpqcompat=true` asks for that of libpq.
 */
const verifying: ReadonlySet<string | null> = new Set(['prefer', 'require', 'verify-ca']);

export function withPlainMode(connectionString: string): string {
  const url = URL.parse(connectionString);
  if (url === null || !verifying.has(url.searchParams.get('sslmode'))) return connectionString;
  if (url.searchParams.get('uselibpqcompat') === 'true') return connectionString;
  // Only this parameter: others may be encoded as nobody would again.
  return connectionString.replace(/([?&]sslmode=)[a-z-]+/, '$1verify-full');
}

/** Certificates are read per connection: they are renewed, or away for a while, as the process lives. */
function readFiles({ connectionString, ...others }: pg.ClientConfig): {
  readonly read: pg.ClientConfig;
  readonly unusable: Error | null;
} {
  if (connectionString === undefined) return { read: others, unusable: null };
  try {
    return { read: { ...others, ...parseIntoClientConfig(withPlainMode(connectionString)) }, unusable: null };
  } catch (error) {
    return { read: others, unusable: toError(error) };
  }
}

export const clientConfig = (url: string, settings: PostgresSettings): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: settings.connectTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: settings.keepAliveMs,
});

/** Statements that set the server's limits: poolers drop those of the connection's start. @param scope `local` for a transaction */
export const limitsOf = (
  { statementTimeoutMs, lockTimeoutMs, idleTransactionTimeoutMs }: PostgresSettings,
  scope: 'session' | 'local',
): string =>
  Object.entries({
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
  })
    .map(([name, milliseconds]) => `set ${scope} ${name} = ${milliseconds}`)
    .join('; ');

/** Calls `late` when the time is up; a busy process first reads what has arrived. 0 sets no limit. @returns cancels */
export function onceLate(milliseconds: number, late: () => void): () => void {
  if (milliseconds === 0) return () => undefined;
  let cancelled = false;
  const timer = setTimeout(() => {
    // In a round of the event loop timers come before sockets, and this after them.
    setImmediate(() => {
      if (!cancelled) late();
    });
  }, milliseconds);
  return () => {
    cancelled = true;
    clearTimeout(timer);
  };
}
