/** A connection to a Redis server, for parts of the gateway that work without it: none waits long for a server that is down. */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** Time limit of a command, in milliseconds. After that the gateway works without Redis. */
const commandTimeoutMs = 250;
const connectTimeoutMs = 2_000;

/** How long no command is sent after a failure, in milliseconds: requests must not wait for the server one by one. */
const pauseMs = 1_000;

export interface RedisServer {
  readonly client: Redis;
  /** False during the pause after a failure: send no command then. */
  isAvailable(): boolean;
  onSuccess(): void;
  /** Starts a pause, and logs the first failure. */
  onFailure(error: unknown): void;
  close(): void;
}

export interface RedisServerOptions {
  /** `redis://` or `rediss://` */
  readonly url: string;
  /** What the server is used for, in the words of the log. */
  readonly use: 'response cache' | 'persisted queries';
  readonly logger: Logger;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed?: (() => number) | undefined;
}

/** Connects to a server, and again whenever the connection is lost. Commands fail at once meanwhile. */
export function connectRedis({ url, use, logger, elapsed = () => performance.now() }: RedisServerOptions): RedisServer {
  const client = new Redis(url, {
    connectionName: 'postern',
    // A command that cannot be sent at once is not worth waiting for.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    // A server that fell silent without closing the connection.
    socketTimeout: connectTimeoutMs,
    retryStrategy: () => pauseMs,
  });
  let isLost = false;
  let pausedUntil = 0;
  let closed = false;

  function onFailure(err: unknown): void {
    pausedUntil = elapsed() + pauseMs;
    if (isLost || closed) return;
    isLost = true;
    logger.warn({ err, use }, 'Redis does not respond');
  }
  function onSuccess(): void {
    pausedUntil = 0;
    if (!isLost) return;
    isLost = false;
    logger.info({ use }, 'Redis responds again');
  }
  client.on('error', onFailure);
  client.on('ready', onSuccess);
  return {
    client,
    isAvailable: () => elapsed() >= pausedUntil,
    onSuccess,
    onFailure,
    close() {
      closed = true;
      client.disconnect();
    },
  };
}
