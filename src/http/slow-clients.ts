/**
 * Responses that wait in memory for clients that do not read. What the network has not taken of a response is kept until
 * it does, and a client may read as slowly as it likes, on as many connections as it likes.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/** Whoever takes nothing is cut off, never who is slow. */
export interface WaitingLimits {
  /** Bytes of all responses that wait. Beyond them those are cut off at once whose clients read nothing; the newest never is. */
  readonly maxBytes: number;
  /** Bytes beyond which those are cut off whose clients have read nothing for `idleMs` milliseconds. */
  readonly idleBytes: number;
  readonly idleMs: number;
  /** How long a response waits in any case for a client that takes none of it, in milliseconds. */
  readonly stallMs: number;
}

const mebibyte = 1_024 * 1_024;
export const waitingLimits: WaitingLimits = {
  maxBytes: 128 * mebibyte,
  idleBytes: 64 * mebibyte,
  // A full buffer of the kernel (4 MiB) takes more when a third of it is free.
  idleMs: 5_000,
  stallMs: 30_000,
};

/** A client that still reads so long after its response began to wait, in milliseconds, has more than buffers that fill. */
const readingMs = 1_000;

/** How often it is looked who has read, in milliseconds. */
const lookMs = 500;

/** For a longer text node:http reserves three bytes a character, and keeps the text too. */
const maxTextCharacters = 16_384;

const inBytes = (chunk: unknown, encoding: unknown): unknown =>
  typeof chunk === 'string' && chunk.length > maxTextCharacters
    ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    : chunk;

type Callback = (error?: Error | null) => void;

/** A response that waits. */
interface Waiting {
  readonly response: ServerResponse;
  readonly since: number;
  /** Bytes of its connection that the network had taken when it was looked last. */
  taken: number;
  takenAt: number;
}

/** @returns the class of the server's responses, which together keep the limits */
export function limitWaiting(limits: WaitingLimits, logger: Logger): typeof ServerResponse {
  const waiting = new Map<ServerResponse, Waiting>();
  let looking: NodeJS.Timeout | undefined;

  function forget(response: ServerResponse): void {
    if (!waiting.delete(response) || waiting.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  function cutOff(response: ServerResponse, reason: string): void {
    forget(response);
    logger.info({ reqId: response.getHeader('x-request-id'), reason }, 'response cut off');
    response.socket?.destroy();
  }

  function wait(response: ServerResponse): void {
    const { socket } = response;
    if (!socket?.writableNeedDrain) return;
    if (!waiting.has(response)) {
      const now = performance.now();
      waiting.set(response, { response, since: now, taken: takenOf(socket), takenAt: now });
      socket.once('drain', () => forget(response));
      response.once('close', () => forget(response));
      looking ??= setInterval(look, Math.min(lookMs, limits.stallMs / 4)).unref();
    }
    look(response);
  }

  /** Cuts off whoever takes nothing. @param newest is not cut off for others */
  function look(newest?: ServerResponse): void {
    const now = performance.now();
    let bytes = 0;
    for (const each of waiting.values()) {
      const taken = takenOf(each.response.socket);
      if (taken !== each.taken) Object.assign(each, { taken, takenAt: now });
      if (now - each.takenAt >= limits.stallMs) cutOff(each.response, 'The client does not read.');
      else bytes += bytesOf(each.response);
    }
    if (bytes <= Math.min(limits.idleBytes, limits.maxBytes)) return;
    for (const { response, takenAt } of [...waiting.values()].sort(leastRead)) {
      const isIdle = now - takenAt >= limits.idleMs;
      if (bytes <= (isIdle ? limits.idleBytes : limits.maxBytes) || response === newest) continue;
      bytes -= bytesOf(response);
      cutOff(response, 'Too many responses wait for clients.');
    }
  }

  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override write(chunk: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
      const isTaken = super.write(inBytes(chunk, encoding), encoding as BufferEncoding, callback);
      wait(this);
      return isTaken;
    }
    override end(chunk?: unknown, encoding?: BufferEncoding | (() => void), callback?: () => void): this {
      super.end(inBytes(chunk, encoding), encoding as BufferEncoding, callback);
      wait(this);
      return this;
    }
  };
}

/** Those whose clients have read nothing come first, and of each kind those who have read least lately. */
const leastRead = (one: Waiting, other: Waiting): number =>
  Number(isReading(one)) - Number(isReading(other)) || one.takenAt - other.takenAt;

const isReading = ({ since, takenAt }: Waiting): boolean => takenAt - since >= readingMs;

const bytesOf = ({ socket }: ServerResponse): number => socket?.writableLength ?? 0;

/**
 * Bytes of a connection that the kernel has taken. A socket's own counts change only when it has taken the whole of what was
 * written at once; node:net watches the same counters of its handle for its time-outs.
 */
function takenOf(socket: Socket | null): number {
  const { _handle: handle } = (socket ?? {}) as { readonly _handle?: Partial<Counters> | null };
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
}

interface Counters {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}
