/** A connection to a Redis server that the gateway works without: nothing waits long for a server that is down. */
import { Redis, ReplyError } from 'ioredis';
import type { Logger } from 'pino';

/** Time limit of a command, in milliseconds. After that the gateway works without Redis. */
const commandTimeoutMs = 250;
const connectTimeoutMs = 2_000;

/** How long no command is sent after a failure, in milliseconds: requests must not wait for the server one by one. */
const pauseMs = 1_000;

/** The shortest time between two log lines about refused commands, in milliseconds: a full server refuses each that writes. */
const quietMs = 60_000;

export interface RedisServer {
  readonly client: Redis;
  /** False during the pause after a failure: send no command then. */
  isAvailable(): boolean;
  onSuccess(): void;
  /** Logs the first failure, and refused commands now and then. Starts a pause if the server did not respond. */
  onFailure(error: unknown): void;
  close(): void;
}

export interface RedisServerOptions {
  /** `redis://` or `rediss://` */
  readonly url: string;
  readonly logger: Logger;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed?: (() => number) | undefined;
}

/** Connects to a server, and again whenever the connection is lost. Commands fail at once meanwhile. */
export function connectRedis({ url, logger, elapsed = () => performance.now() }: RedisServerOptions): RedisServer {
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
  let askAgainAt = 0;
  let tellAgainAt = 0;
  let closed = false;

  function onLoss(error: unknown): void {
    askAgainAt = elapsed() + pauseMs;
    if (isLost || closed) return;
    isLost = true;
    logger.warn({ err: logged(error) }, 'Redis does not respond');
  }
  function onRefusal(error: unknown): void {
    if (elapsed() < tellAgainAt || closed) return;
    tellAgainAt = elapsed() + quietMs;
    logger.warn({ err: logged(error) }, 'Redis refuses a command');
  }
  // A server that refuses a command has responded: nobody waits for it, and reads may still succeed.
  const onFailure = (error: unknown): void => (error instanceof ReplyError ? onRefusal(error) : onLoss(error));
  function onSuccess(): void {
    askAgainAt = 0;
    if (!isLost) return;
    isLost = false;
    logger.info('Redis responds again');
  }
  client.on('error', onLoss);
  client.on('ready', onSuccess);
  return {
    client,
    isAvailable: () => elapsed() >= askAgainAt,
    onSuccess,
    onFailure,
    close() {
      closed = true;
      client.disconnect();
    },
  };
}

/**
 * An error as the log may have it. The one of a command that was refused has all its arguments: a password, a response.
 * So does the message, if the server does not know the command.
 */
function logged(error: unknown): Error {
  const { name, message, code, command } = error as RedisFailure;
  const [told] = message.split(', with args beginning with', 1);
  return Object.assign(new Error(told), { name, code, command: command?.name });
}

interface RedisFailure extends Error {
  /** Of a connection that failed. */
  readonly code?: string;
  /** The one that was refused. */
  readonly command?: { readonly name: string };
}
