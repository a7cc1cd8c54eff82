/** A connection to an optional Redis server: nothing waits long for it. */

import { Redis, ReplyError } from 'ioredis';
import type { Logger } from 'pino';
import type { Clock } from '../kernel/lib/time-units.ts';

/** Milliseconds; then the gateway works without Redis. */
const commandTimeoutMs = 250;
const connectTimeoutMs = 2_000;

/** Milliseconds without commands after a failure: requests must not wait one by one. */
const pauseMs = 1_000;

/** Milliseconds between two connections because the server is a replica: the address may lead to the new primary now. */
const seekPrimaryMs = 5_000;

/** Milliseconds between log lines about refused commands: a full server refuses every write. */
const quietMs = 60_000;

export interface RedisServerOptions {
  readonly url: string;
  readonly logger: Logger;
  readonly clock?: Clock | undefined;
}

/** Reconnects by itself; commands fail at once meanwhile. */
export function connectRedis({ url, logger, clock = () => performance.now() }: RedisServerOptions) {
  let seekAgainAt = 0;
  const client = new Redis(url, {
    connectionName: 'postern',
    // A command that cannot be sent at once is not worth a wait.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    // For a server that fell silent without closing.
    socketTimeout: connectTimeoutMs,
    retryStrategy: () => pauseMs,
    // After a failover the connection may lead to the former primary, which still answers.
    reconnectOnError({ message }) {
      if (!message.startsWith('READONLY') || clock() < seekAgainAt) return false;
      seekAgainAt = clock() + seekPrimaryMs;
      return true;
    },
  });
  let isLost = false;
  let askAgainAt = 0;
  let tellAgainAt = 0;
  let closed = false;

  function onLoss(error: unknown): void {
    askAgainAt = clock() + pauseMs;
    if (isLost || closed) return;
    isLost = true;
    logger.warn({ err: logged(error) }, 'Redis does not respond');
  }
  function onRefusal(error: unknown): void {
    if (clock() < tellAgainAt || closed) return;
    tellAgainAt = clock() + quietMs;
    logger.warn({ err: logged(error) }, 'Redis refuses a command');
  }
  // A refusal is a response: nobody waits, and reads may still succeed.
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
    /** False in the pause after a failure: send no command then. */
    isAvailable: () => clock() >= askAgainAt,
    onSuccess,
    /** Logs the first failure, and refused commands now and then; pauses if the server did not respond. */
    onFailure,
    close() {
      closed = true;
      client.disconnect();
    },
  };
}

/** A refused command's error has all its arguments, such as a password; so has that of an unknown command. */
function logged(error: unknown): Error {
  const { name, message, code, command } = error as RedisFailure;
  const [told] = message.split(', with args beginning with', 1);
  return Object.assign(new Error(told), { name, code, command: command?.name });
}

interface RedisFailure extends Error {
  readonly code?: string;
  readonly command?: { readonly name: string };
}
